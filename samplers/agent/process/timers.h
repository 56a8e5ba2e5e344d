// Signal path. The clocks that sample a thread: a POSIX timer on its CPU clock and, above the
// kernel's tick rate, a perf event.
//
// The POSIX timer costs nothing measurable (it is looked at on the tick) and sees time in system
// calls, but gives at most HZ signals a second. The perf event (task-clock, user mode only) adds
// the rest; the thread opens it on itself at its first sample, so that a thread that hardly runs
// never pays for it, and hands the descriptor to the collector: no descriptor of ours stays in the
// target. Weights are differences of the thread's CPU clock, so any mix of both sums to the time
// that was used.
#pragma once

#include <time.h>

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// The CPU clock of a thread of this process. Method: Linux, include/linux/posix-timers.h.
constexpr clockid_t CpuClockOf(int32_t tid) {
  return static_cast<clockid_t>((~static_cast<uint32_t>(tid)) << 3 | 6);
}

// What it says, ns; -1 = the thread has ended.
int64_t CpuNsOf(int32_t tid);

constexpr int32_t kTimersAreOver =
    -2;  // in ThreadState: there is none, as nothing will be recorded
bool ArmTimer(ThreadState* state);
// A timer of the calling thread, which has no state yet; its signals carry kPostponedSlot. -1 =
// none could be made.
constexpr uint32_t kPostponedSlot = 0xffff;
int32_t ArmPostponedTimer(int32_t tid);
void DeleteTimer(int32_t timer);
void DisarmTimer(ThreadState* state);
// No expiry for `ns` of the thread's CPU time; then as before.
void RestTimer(const ThreadState* state, int64_t ns);
// In the handler of the thread itself, until it worked or failed for good.
void OpenPerfEvent(ThreadState* state);
// In the handler of the thread itself, on a tick: how often did it wait, for its CPU time since the
// latest full look? Each time that the kernel switches to it again it sets the timer of a perf
// event: 10 us in virtual machines.
enum class Switching : uint8_t { kUnknown, kSeldom, kOften };
Switching HowOftenItSwitches(ThreadState* state);
// The collector is to close the thread's perf event: ticks alone for some time, longer each time.
void RestPerfEvent(ThreadState* state);
// The same, and waits until the collector has closed it, for a fifth of a second at most. Not in a
// handler.
void EndPerfEvent(ThreadState* state);
// Of an opening that a handler of the program has left for good (scratch.h).
void GiveUpOpening(ThreadState* state);
// Under which descriptor's number the calling thread's event sends its signals; -1 = it had none.
int NumberOfPerfSignals();
// Did a thread of this process ever open one? Signals of one may come after its thread's end.
bool PerfWasOpened();

constexpr uint64_t CookieOf(uint32_t slot) { return wire::kTimerCookie | slot; }
constexpr bool IsCookie(uint64_t value) { return value >> 16 == wire::kTimerCookie >> 16; }
constexpr uint32_t SlotOf(uint64_t cookie) { return static_cast<uint32_t>(cookie & 0xffff); }

}  // namespace gprofx::agent
