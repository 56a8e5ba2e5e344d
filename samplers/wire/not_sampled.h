// Counts programs that ran without samples, by reason and name. The agent counts a program in the
// process that starts it, or in the program itself if the agent there decides not to sample it.
//
// The counts are in a small table in the control page, with many writers, lock-free and of fixed
// size. A program that finds no free row is counted under its reason without a name. Counting
// touches only shared memory, so a vfork child may do it.
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
  kAgentHidden,  // the agent's file cannot be opened: another root, or no permission
  kCleared,      // started with an environment without our variables (env -i)
  kUnreachable,  // the recorder's memory is unreachable: other user, other namespaces
  kMemory,       // an address space limit leaves no room
  kTool,         // under valgrind or rr
  kConfined,     // a seccomp filter forbids system calls that the agent needs
  kTraced,       // runs under a debugger or strace, which would see each signal of ours
  kReasons,
};
// More than there are; the collector ignores reasons that it does not know.
constexpr uint32_t kMaxReasons = 32;
constexpr uint32_t kNotSampledRows = 128;

struct NotSampledRow {
  std::atomic<uint32_t> state;  // 0 = free, 1 = being filled, 2 = valid
  uint32_t reason;
  std::atomic<int64_t> count;  // a failed exec decrements it again
  char name[32];               // base name of the file, cut, NUL-terminated
};

struct NotSampledTable {
  NotSampledRow rows[kNotSampledRows];
  std::atomic<int64_t> unnamed[kMaxReasons];  // by reason: programs that found no free row
};

// Writes the part of `path` after the last slash to `out`, cut to the size of `out`.
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

// Counts the program at `path` under `reason`. Returns the counter that was incremented, which the
// caller can decrement again.
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
