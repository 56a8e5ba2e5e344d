// Records stacks of a real program for tests: preloaded into it, a timer of its CPU time walks its
// stacks as the agent does and keeps what the walk read. libgcc's unwinder walks the same stacks:
// what it finds is what is expected.
//   LD_PRELOAD=record_stacks.so STACKS=FILE [STACKS_AFTER=SECONDS] [STACKS_COUNT=N] PROGRAM
// Of each 64 bytes of code one stack is kept, so that no loop fills the file. Not for use
// elsewhere: libgcc and the list of modules take the loader's lock in the handler.
#include <sys/time.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "recorded_stacks.h"
#include "samplers/agent/signals/fault.h"
#include "samplers/agent/signals/safe_load.h"

using namespace gprofx::agent;

namespace {

constexpr uint32_t kMaxReads = 1 << 20, kMaxFrames = 1024;

struct Read {
  uint64_t address, value;
  uint8_t bytes;
};
Read g_reads[kMaxReads];
uint32_t g_read_count = 0;

// A type of this file alone, see own_stack_test.cpp.
struct LoggedMemory {
  template <class T>
  bool Read(uint64_t address, T* out) const {
    if (!SafeLoad(address, out)) return false;
    uint64_t value = 0;
    std::memcpy(&value, out, sizeof(T));
    if (g_read_count < kMaxReads) g_reads[g_read_count++] = {address, value, sizeof(T)};
    return true;
  }
  bool MaySearch() const { return true; }
};

constexpr uint32_t kMaxStacks = 1024, kMaxPcs = kMaxStacks * 256;

// Nothing is allocated in the handler.
struct Stack {
  Registers registers;
  bool confirmed;
  uint32_t pcs_end, reads_end;  // in the arrays of all stacks
};
OwnModules g_modules;
Stack g_stacks[kMaxStacks];
uint64_t g_pcs[kMaxPcs];
uint32_t g_count = 0, g_most = 64, g_walks = 0, g_complete = 0;
uint64_t g_seen_code[kMaxStacks];
NativeFrame g_frames[kMaxFrames];

struct Trace {
  uint64_t begin;  // where the program was interrupted
  uint64_t ips[kMaxFrames];
  uint32_t count = 0;
  bool found = false;
};

_Unwind_Reason_Code OnFrame(_Unwind_Context* context, void* to) {
  Trace& trace = *static_cast<Trace*>(to);
  const uint64_t ip = machine::Strip(_Unwind_GetIP(context));
  trace.found |= ip == trace.begin;
  if (trace.found && ip != 0 && trace.count < kMaxFrames) trace.ips[trace.count++] = ip;
  return _URC_NO_REASON;
}

bool Confirms(const Trace& trace, const WalkResult& walk) {
  if (trace.count != walk.count) return false;
  for (uint32_t i = 1; i < walk.count; ++i) {
    if (trace.ips[i] - walk.frames[i].pc > 1) return false;
  }
  return true;
}

void Keep(Stack& stack, uint64_t code) {
  g_modules.Read();
  const LoggedMemory memory;
  OwnRows<LoggedMemory> rows{g_modules, memory};
  Walker walker(memory, rows, g_frames, kMaxFrames);
  const uint32_t reads = g_read_count;
  const uint32_t pcs = g_count == 0 ? 0 : g_stacks[g_count - 1].pcs_end;
  const WalkResult walk = walker.Walk(stack.registers);
  ++g_walks;
  if (walk.end != EndReason::kComplete || g_read_count == kMaxReads || pcs + walk.count > kMaxPcs) {
    g_read_count = reads;
    return;
  }
  ++g_complete;
  static Trace trace;
  trace = {};
  trace.begin = stack.registers.ip();
  _Unwind_Backtrace(OnFrame, &trace);
  stack.confirmed = Confirms(trace, walk);
  for (uint32_t i = 0; i < walk.count; ++i) g_pcs[pcs + i] = walk.frames[i].pc;
  stack.pcs_end = pcs + walk.count;
  stack.reads_end = g_read_count;
  g_seen_code[g_count] = code;
  g_stacks[g_count++] = stack;
}

void OnFault(int number, siginfo_t*, void* context) {
  if (!ResumeSafeLoad(context)) std::signal(number, SIG_DFL);
}

void OnTimer(int, siginfo_t*, void* context) {
  Stack stack{};
  for (int i = 0; i < machine::kRegisters; ++i)
    std::memcpy(&stack.registers.r[i], static_cast<char*>(context) + machine::kContextOffset[i], 8);
  const uint64_t code = stack.registers.ip() / 64;
  uint64_t* const known = g_seen_code + g_count;
  if (g_count >= g_most || std::find(g_seen_code, known, code) != known) return;
  static std::atomic_flag busy;
  if (busy.test_and_set()) return;
  Keep(stack, code);
  busy.clear();
}

class Recording {
 public:
  Recording() {
    const char* path = std::getenv("STACKS");
    if (path == nullptr) return;
    path_ = path;
    unsetenv("STACKS");
    if (const char* most = std::getenv("STACKS_COUNT"))
      g_most = std::min(static_cast<uint32_t>(std::atoi(most)), kMaxStacks);
    Handle(SIGSEGV, OnFault, SA_SIGINFO | SA_NODEFER | SA_ONSTACK);
    Handle(SIGPROF, OnTimer, SA_SIGINFO | SA_RESTART | SA_ONSTACK);
    const char* after = std::getenv("STACKS_AFTER");
    const itimerval every{{0, 10000}, {after != nullptr ? std::atol(after) : 0, 10000}};
    _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_NO_REASON; },
                      nullptr);  // allocates once
    setitimer(ITIMER_PROF, &every, nullptr);
  }
  ~Recording() {
    if (path_.empty()) return;
    const itimerval never{};
    setitimer(ITIMER_PROF, &never, nullptr);
    Write();
    std::fprintf(stderr, "record_stacks: %u stacks, %u of %u walks complete\n", g_count, g_complete,
                 g_walks);
  }

 private:
  static void Handle(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
    struct sigaction action {};
    action.sa_sigaction = handler;
    action.sa_flags = flags;
    sigaction(signal, &action, nullptr);
  }
  void Write() const {
    std::ofstream file(path_, std::ios::binary);
    const auto number = [&file](uint64_t value) {
      file.write(reinterpret_cast<const char*>(&value), sizeof value);
    };
    number(kStacksMagic);
    number(g_modules.count);
    for (uint32_t i = 0; i < g_modules.count; ++i) {
      number(g_modules.list[i].begin);
      number(g_modules.list[i].end);
      number(g_modules.list[i].eh_frame_hdr);
    }
    number(g_count);
    RecordedMemory modules;
    for (uint32_t i = 0, read = 0, pc = 0; i < g_count; ++i) {
      RecordedMemory own;
      for (; read < g_stacks[i].reads_end; ++read) {
        RecordedMemory& to = g_modules.At(g_reads[read].address) != nullptr ? modules : own;
        for (uint8_t k = 0; k < g_reads[read].bytes; ++k)
          to.bytes[g_reads[read].address + k] = static_cast<uint8_t>(g_reads[read].value >> 8 * k);
      }
      for (uint64_t value : g_stacks[i].registers.r) number(value);
      number(g_stacks[i].confirmed ? 1 : 0);
      number(g_stacks[i].pcs_end - pc);
      for (; pc < g_stacks[i].pcs_end; ++pc) number(g_pcs[pc]);
      WriteMemory(own, file, number);
    }
    WriteMemory(modules, file, number);
  }
  template <class Number>
  static void WriteMemory(const RecordedMemory& memory, std::ofstream& file, Number number) {
    std::vector<std::pair<uint64_t, std::string>> pieces;
    for (const auto& [address, byte] : memory.bytes) {
      if (pieces.empty() || pieces.back().first + pieces.back().second.size() != address)
        pieces.push_back({address, ""});
      pieces.back().second += static_cast<char>(byte);
    }
    number(pieces.size());
    for (const auto& [address, bytes] : pieces) {
      number(address);
      number(bytes.size());
      file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
  }

  std::string path_;
};
Recording g_recording;

}  // namespace
