// The walk on stacks of this very program, interrupted anywhere by a timer: what compilers make for
// this machine, with and without frame pointers, through signal handlers. It has no part that only
// one processor has, and needs no more of the agent than its safe loads.
#include <sys/time.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <vector>

#include "samplers/agent/signals/fault.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/unwind/walk.h"
#include "tests/unit/agent/own_rows.h"

using namespace gprofx::agent;

namespace {

OwnModules g_modules;

// A type of this file alone: two files of one program may not share a function that has safe loads
// inside of it, because the linker would drop one that the table of faults still names.
struct OwnMemory {
  template <class T>
  bool Read(uint64_t address, T* out) const {
    return SafeLoad(address, out);
  }
  bool MaySearch() const { return true; }
};

struct Seen {
  uint32_t walks = 0, complete = 0, with_signal = 0, deepest = 0, reused = 0;
};
volatile sig_atomic_t g_in_handler = 0;
Seen g_seen;
NativeFrame g_frames[512];
WalkResult g_walk;

void OnFault(int number, siginfo_t*, void* context) {
  if (!ResumeSafeLoad(context)) std::signal(number, SIG_DFL);
}

void OnTimer(int, siginfo_t*, void* context) {
  Registers registers;
  for (int i = 0; i < machine::kRegisters; ++i) {
    std::memcpy(&registers.r[i], static_cast<char*>(context) + machine::kContextOffset[i], 8);
  }
  const OwnMemory memory;
  OwnRows<OwnMemory> rows{g_modules, memory};
  Walker walker(memory, rows, g_frames, std::size(g_frames));
  g_walk = walker.Walk(registers, g_walk);
  ++g_seen.walks;
  g_seen.reused += g_walk.reused;
  g_seen.deepest = std::max(g_seen.deepest, g_walk.count);
  if (g_walk.end == EndReason::kComplete) ++g_seen.complete;
  if (g_walk.end == EndReason::kComplete && g_in_handler != 0) ++g_seen.with_signal;
}

__attribute__((noinline)) uint64_t Leaf(uint64_t x) { return x * 0x9e3779b97f4a7c15 ^ x >> 7; }

// One that GCC gives a frame with a buffer, and none of the callees a frame pointer.
__attribute__((noinline)) uint64_t Nested(uint32_t depth, uint64_t x) {
  volatile uint64_t buffer[40];
  for (int i = 0; i < 40; ++i) buffer[i] = Leaf(x + static_cast<uint64_t>(i));
  if (depth == 0) return buffer[x % 40];
  return Nested(depth - 1, buffer[depth % 40]) + buffer[0];
}

__attribute__((noinline)) uint64_t Variable(uint32_t words, uint64_t x) {
  auto* room = static_cast<volatile uint64_t*>(__builtin_alloca(words * sizeof(uint64_t)));
  for (uint32_t i = 0; i < words; ++i) room[i] = Leaf(x + i);
  return room[x % words] + Nested(3, x);
}

__attribute__((noinline)) uint64_t Work(uint64_t x) {
  std::vector<uint64_t> words(256);
  for (uint64_t& word : words) word = x = Leaf(x + 1);
  std::sort(words.begin(), words.end(), [](uint64_t a, uint64_t b) { return Leaf(a) < Leaf(b); });
  std::qsort(words.data(), words.size(), sizeof(words[0]), [](const void* a, const void* b) {
    return static_cast<int>(std::memcmp(a, b, sizeof(uint64_t)));
  });
  return words[3] + Nested(12, x) + Variable(17 + x % 64, x);
}

void OnUser(int) {
  g_in_handler = 1;
  const uint32_t until = g_seen.walks + 40;
  for (volatile uint64_t x = 1; g_seen.walks < until;) x = Work(x);
  g_in_handler = 0;
}

void Handle(int number, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = flags;
  sigaction(number, &action, nullptr);
}

}  // namespace

TEST_CASE("stacks of this program are walked to their outermost frame wherever it is interrupted") {
  g_modules.Read();
  g_seen = {};
  Handle(SIGSEGV, OnFault, SA_SIGINFO | SA_NODEFER);
  Handle(SIGALRM, OnTimer, SA_SIGINFO | SA_RESTART);
  const itimerval every{{0, 500}, {0, 500}};
  setitimer(ITIMER_REAL, &every, nullptr);
  for (volatile uint64_t x = 1; g_seen.walks < 4000;) x = Work(x);
  std::signal(SIGUSR1, OnUser);
  std::raise(SIGUSR1);
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  std::signal(SIGSEGV, SIG_DFL);
  INFO(g_seen.complete << " of " << g_seen.walks << " complete, deepest " << g_seen.deepest);
  CHECK(g_seen.complete >= g_seen.walks * 0.999);
  CHECK(g_seen.with_signal >= 30);
  CHECK(g_seen.deepest > 20);
  CHECK(g_seen.reused > 0);
}
