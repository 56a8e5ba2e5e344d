// Programs that ran without samples: counted by reason and by name, by whoever knows of them - the
// agent in the process that starts them, or the agent in them that decides to leave them alone.
//
// A small table in the control page with many writers, lock-free and bounded: what finds no row is
// counted under its reason without a name. Adding touches shared memory only, so a vfork child may.
#pragma once

#include <atomic>
#include <cstdint>

namespace gprofx::wire {

enum class NotSampled : uint32_t {
  kStatic,
  k32Bit,
  kOtherMachine,
  kOtherLibrary,
  kNoLibrary,
  kSanitizer,
  kPrivileged,
  kAgentHidden,  // the agent's file cannot be opened: another root, no right to read it
  kCleared,      // started with an environment without us (env -i)
  kUnreachable,  // no way to the recorder's memory: other user, other namespaces
  kMemory,       // a limit on address space leaves no room
  kTool,         // under valgrind or rr
  kConfined,     // a seccomp filter forbids what the agent would need
  kTraced,       // runs under a debugger or strace, which would see each of our signals
  kReasons,
};
constexpr uint32_t kMaxReasons = 32;  // room: the collector ignores those it does not know
constexpr uint32_t kNotSampledRows = 128;

struct NotSampledRow {
  std::atomic<uint32_t> state;  // 0 = free, 1 = being filled, 2 = valid
  uint32_t reason;
  std::atomic<int64_t> count;  // an exec that failed takes its count back
  char name[32];               // base name of the file, cut, NUL-terminated
};

struct NotSampledTable {
  NotSampledRow rows[kNotSampledRows];
  std::atomic<int64_t> unnamed[kMaxReasons];  // found no row
};

// Base name of `path` in `out`, cut to its size.
template <uint64_t kRoom>
void CopyBaseName(const char* path, char (&out)[kRoom]) {
  uint64_t n = 0;
  for (; path != nullptr && *path != 0; ++path) {
    if (*path == '/') {
      n = 0;
    } else if (n + 1 < kRoom) {
      out[n++] = *path;
    }
  }
  out[n] = 0;
}

inline bool SameName(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

// Returns where it was counted, so that the count can be taken back.
inline std::atomic<int64_t>* CountNotSampled(NotSampledTable& table, NotSampled reason,
                                             const char* path) {
  const auto number = static_cast<uint32_t>(reason);
  char name[sizeof NotSampledRow::name] = {};
  CopyBaseName(path, name);
  std::atomic<int64_t>* place = &table.unnamed[number];
  for (NotSampledRow& row : table.rows) {
    uint32_t state = 0;
    if (row.state.compare_exchange_strong(state, 1, std::memory_order_acq_rel)) {
      row.reason = number;
      __builtin_memcpy(row.name, name, sizeof name);
      row.state.store(2, std::memory_order_release);
      state = 2;
    }
    if (state == 2 && row.reason == number && SameName(row.name, name)) {
      place = &row.count;
      break;
    }
  }
  place->fetch_add(1, std::memory_order_relaxed);
  return place;
}

}  // namespace gprofx::wire
