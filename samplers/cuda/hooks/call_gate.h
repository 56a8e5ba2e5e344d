// Keeps track of whether the program's threads are inside CUDA calls, and runs functions while none
// is. A thread enters the gate when a call that we listen to begins, and leaves it when the call
// ends (10 ns). Nested calls pass freely.
//
// Three faults of CUPTI 13.0 make it necessary:
// - CUPTI stops instruction sampling under its own lock and then takes the context's lock, while a
// launching thread holds the context's lock and takes CUPTI's: a deadlock. So we close the gate,
// and threads wait at the begin of a call, where they hold no lock of the driver.
// - A call that begins while it is listened to and ends when it is not stays open for CUPTI: all
// later calls of the thread count as nested in it and get its correlation id, for good, whichever
// client uses CUPTI. A thread that waits at the begin has already begun, so listening ends at the
// end of a call, when no other thread is inside.
// - If a flush or a launching thread makes CUPTI's own thread deliver records while records are
// off, that thread uses freed records: the program ends with SIGSEGV or a corrupt heap, once in a
// few thousand times. So records end while no thread is inside, after a last flush, and nothing is
// flushed until they are on again.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

#include "samplers/cuda/hooks/asymmetric_fence.h"
#include "samplers/cuda/hooks/sharded_count.h"

namespace gprofx::cuda {

class CallGate {
 public:
  static constexpr std::chrono::seconds kLongestClosed{2};

  // Called when a call begins. Enters the gate, after a wait if it is closed. Returns false if the
  // call is not listened to; then Leave must not be called. With `always`, enters even while calls
  // are not listened to. Any thread.
  bool Enter(bool always = false) {
    if (t_depth != 0) return ++t_depth, true;
    while (true) {
      inside_.Enter();
      const bool open = closed_.load() == 0;
      if (open && (always || listened())) break;
      inside_.Leave();
      if (open) return false;
      const timespec limit{kLongestClosed.count(), 0};
      const long waited = syscall(SYS_futex, &closed_, FUTEX_WAIT_PRIVATE, 1, &limit, nullptr, 0);
      // Open the gate if it is closed for too long. The thread that closed it hangs, and the
      // program must not hang, too.
      if (waited != 0 && errno == ETIMEDOUT) Open();
    }
    t_depth = 1;
    return true;
  }
  // True if the calling thread is inside the gate.
  static bool Inside() { return t_depth != 0; }
  // Leaves the gate. Called when a call ends, after everything else that is done there.
  void Leave() {
    if (t_depth == 0) return;
    if (t_depth == 1 && asked_.load(std::memory_order_relaxed) == kAsked && inside_.Sum() == 1)
      TryAsked(1);
    if (--t_depth != 0) return;
    inside_.Leave();
  }

  // Closes the gate and waits until no thread is inside. Returns true when that is so; no thread
  // enters then before Open. If a thread was inside for the whole `limit`, opens the gate again and
  // returns false. For our own thread only.
  bool Close(std::chrono::nanoseconds limit) {
    using Clock = std::chrono::steady_clock;
    closed_.store(1);
    HeavyFence();
    for (const Clock::time_point end = Clock::now() + limit; Clock::now() < end;) {
      if (inside_.Sum() == 0) return true;
      syscall(SYS_sched_yield);
    }
    Open();
    return false;
  }
  void Open() {
    closed_.store(0);
    syscall(SYS_futex, &closed_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

  // Closes the gate during the lifetime of this object. It converts to false if the gate could not
  // be closed, because a thread stayed inside.
  class Quiet {
   public:
    Quiet(CallGate& gate, std::chrono::nanoseconds limit) : gate_(gate), is_(gate.Close(limit)) {}
    ~Quiet() {
      if (is_) gate_.Open();
    }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    explicit operator bool() const { return is_; }

   private:
    CallGate& gate_;
    const bool is_;
  };

  using What = void (*)();
  // Runs `what` while no other thread is inside. Normally that is at the end of a CUDA call, on the
  // thread of the program that makes the call. If no thread was inside for the whole `limit`, runs
  // `what` on our own thread. Threads that begin a call meanwhile wait until `what` has returned.
  // Returns false if nothing ran, because a thread was inside the whole time. For our own thread
  // only.
  bool AtAnEnd(What what, std::chrono::nanoseconds limit) {
    using Clock = std::chrono::steady_clock;
    what_ = what;
    asked_.store(kAsked);
    bool seen = false;
    for (const Clock::time_point end = Clock::now() + limit; Clock::now() < end;) {
      if (asked_.load() == kDone) return true;
      seen = seen || inside_.Sum() != 0;
      syscall(SYS_sched_yield);
    }
    if (!seen) TryAsked(0);
    while (asked_.load() != kDone) {
      Asked asked = kAsked;
      if (asked_.compare_exchange_strong(asked, kNothing)) return false;
      syscall(SYS_sched_yield);  // a thread of the program is trying to run `what_` now
    }
    return true;
  }

  // Sets whether calls that begin from now on are listened to.
  void Listen(bool on) { listened_.store(on); }
  bool listened() const { return listened_.load(std::memory_order_relaxed); }

 private:
  // Nesting depth of the calling thread's CUDA calls that are in the gate.
  __attribute__((tls_model("initial-exec"))) static constinit thread_local uint32_t t_depth;

  // Runs `what_` if no other thread is inside. `own` is 1 if the calling thread is inside, else 0.
  // Closes the gate first. No thread can then enter between the check and the call.
  void TryAsked(int32_t own) {
    Asked asked = kAsked;
    if (!asked_.compare_exchange_strong(asked, kTried)) return;
    closed_.store(1);
    HeavyFence();
    const bool alone = inside_.Sum() == own;
    if (alone) what_();
    Open();
    asked_.store(alone ? kDone : kAsked);
  }

  std::atomic<uint32_t> closed_{0};
  std::atomic<bool> listened_{true};
  enum Asked : uint32_t { kNothing, kAsked, kTried, kDone };
  std::atomic<Asked> asked_{kNothing};
  What what_ = nullptr;  // the function that AtAnEnd was asked to run
  ShardedCount inside_;
};

__attribute__((
    tls_model("initial-exec"))) inline constinit thread_local uint32_t CallGate::t_depth = 0;

}  // namespace gprofx::cuda
