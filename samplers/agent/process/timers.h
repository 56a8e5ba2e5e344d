// Runs in signal handlers. Manages the clocks that sample a thread: a POSIX timer on its CPU clock
// and, for rates above the kernel's tick rate, a perf event.
//
// The POSIX timer has no measurable cost (the kernel checks it on the tick) and covers time in
// system calls, but it gives at most HZ signals a second. The perf event (task-clock, user mode
// only) adds the rest. The thread opens the event on itself at its first sample, so a thread that
// hardly runs never pays for it. It then passes the descriptor to the collector, so no descriptor
// of ours stays in the program. Weights are differences of the thread's CPU clock. With any mix of
// the two sources they add up to the time used.
#pragma once

#include <time.h>

#include <cstdint>

#include "samplers/agent/process/threads.h"

namespace gprofx::agent {

// Returns the id of the CPU clock of a thread of this process. The bits are those of Linux,
// include/linux/posix-timers.h.
constexpr clockid_t CpuClockOf(int32_t tid) {
  return static_cast<clockid_t>((~static_cast<uint32_t>(tid)) << 3 | 6);
}

// Returns the thread's CPU time in ns, or -1 if the thread has ended.
int64_t CpuNsOf(int32_t tid);

// Value of ThreadState::timer: the recording is over and has no timers.
constexpr int32_t kTimersAreOver = -2;
bool ArmTimer(ThreadState* state);
// Creates a timer for the calling thread of a fork child that has not joined. The thread has no
// state yet, so the timer's signals carry kPostponedSlot as its slot. Returns -1 on failure.
constexpr uint32_t kPostponedSlot = 0xffff;
int32_t ArmPostponedTimer(int32_t tid);
void DeleteTimer(int32_t timer);
void DisarmTimer(ThreadState* state);
// Makes the timer expire next after `ns` of the thread's CPU time, and then at its normal period.
void RestTimer(const ThreadState* state, int64_t ns);
// Opens the calling thread's perf event and hands it to the collector. Called in the thread's own
// handler at each tick, until it succeeds or fails permanently.
void OpenPerfEvent(ThreadState* state);
// Returns how often the thread waited, relative to its CPU time since the latest full check. Called
// in the thread's own handler, on a tick.
//
// A thread that waits often gets no perf event. Each time the kernel switches back to a thread, it
// sets the timer of the thread's event, which takes 10 us in virtual machines.
enum class Switching : uint8_t { kUnknown, kSeldom, kOften };
Switching HowOftenItSwitches(ThreadState* state);
// Asks the collector to close the thread's perf event. For a time that doubles with each call (up
// to a limit), only ticks sample the thread.
void RestPerfEvent(ThreadState* state);
// Does what RestPerfEvent does and waits until the collector has closed the event, but at most a
// fifth of a second. Do not call from signal handlers.
void EndPerfEvent(ThreadState* state);
// Cleans up after a call of OpenPerfEvent that a handler of the program abandoned (scratch.h): asks
// the collector to close the event, which it may have received.
void GiveUpOpening(ThreadState* state);
// Returns the descriptor number that the signals of the calling thread's perf event carry; -1 if it
// had none.
int NumberOfPerfSignals();
// True if a thread of this process ever opened a perf event. Signals of the event may arrive even
// after that thread's end.
bool PerfWasOpened();

constexpr uint64_t CookieOf(uint32_t slot) { return wire::kTimerCookie | slot; }
constexpr bool IsCookie(uint64_t value) { return value >> 16 == wire::kTimerCookie >> 16; }
constexpr uint32_t SlotOf(uint64_t cookie) { return static_cast<uint32_t>(cookie & 0xffff); }

}  // namespace gprofx::agent
