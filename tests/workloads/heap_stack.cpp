// Called by a Python program. The stack pointer walks through a buffer on the heap while nothing is
// called, as in products of matrices of oneDNN (its issue 4845).
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace {

constexpr uint8_t kUntouched = 0xa5;

int FlagsOf(long result, const stack_t& stack) { return result == 0 ? stack.ss_flags : -1; }

}  // namespace

extern "C" __attribute__((noinline)) void SpinWithStackAt(void* place, long rounds) {
  void* kept;
#if defined(__x86_64__)
  asm volatile("mov %%rsp, %0\n mov %2, %%rsp\n 1: sub $1, %1\n jnz 1b\n mov %0, %%rsp"
               : "=&r"(kept), "+r"(rounds)
               : "r"(place)
               : "memory", "cc");
#else
  asm volatile("mov %0, sp\n mov sp, %2\n 1: subs %1, %1, #1\n b.ne 1b\n mov sp, %0"
               : "=&r"(kept), "+r"(rounds)
               : "r"(place)
               : "memory", "cc");
#endif
}

// How many bytes of the buffer are others afterwards.
extern "C" long SpinOnHeap(long rounds) {
  std::vector<uint8_t> buffer(128 << 10, kUntouched);
  SpinWithStackAt(buffer.data() + (64 << 10), rounds);
  long changed = 0;
  for (const uint8_t byte : buffer) changed += byte != kUntouched;
  return changed;
}

// Flags of the calling thread's alternate stack, as libc and as the kernel says.
extern "C" int SeenFlags() {
  stack_t stack{};
  return FlagsOf(sigaltstack(nullptr, &stack), stack);
}
extern "C" int PresentFlags() {
  stack_t stack{};
  return FlagsOf(syscall(SYS_sigaltstack, nullptr, &stack), stack);
}

// Sets one of its own, looks, and ends that again: 0 if it saw what it had set.
extern "C" int UseOwnStack() {
  std::vector<uint8_t> memory(64 << 10);
  stack_t own{}, none{}, seen{};
  own.ss_sp = memory.data();
  own.ss_size = memory.size();
  none.ss_flags = SS_DISABLE;
  if (sigaltstack(&own, &seen) != 0 || seen.ss_flags != SS_DISABLE || seen.ss_sp != nullptr)
    return 1;
  if (sigaltstack(nullptr, &seen) != 0 || seen.ss_sp != own.ss_sp || seen.ss_size != own.ss_size)
    return 2;
  if (sigaltstack(&none, &seen) != 0 || seen.ss_sp != own.ss_sp) return 3;
  return SeenFlags() == SS_DISABLE ? 0 : 4;
}
