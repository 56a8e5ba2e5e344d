// Knows whether the program's threads are inside of CUDA calls, and has things done where none is.
// Threads pass at the begin and end of each call that we listen to (10 ns). Calls within calls
// pass.
//
// Three faults of CUPTI 13.0 ask for it. It stops sampling of instructions under its own lock and
// then wants the context's, while a launching thread has the context's and wants CUPTI's, a
// deadlock: so the gate is closed, and threads wait at the begin of a call, where they hold no lock
// of the driver's. And a call that begins while it is listened to and ends when it is not stays
// open for CUPTI: all later calls of the thread are within it and have its correlation id, for
// good, whoever uses CUPTI. Who waits at the begin has begun; so listening ends at the end of
// somebody's call, if nobody else is inside. And its own thread, when a flush or a launching thread
// asks it to hand out records while these are off, uses some that were freed: the program ends by
// SIGSEGV or a spoiled heap, once in a few thousand times. So records end while nobody is inside,
// after a last flush, and nothing is flushed until they are on again.
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

  // Any thread, at the begin of a call; `always`: of one that is listened to even while others are
  // not. False: nobody listens, and the end is not to be looked at.
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
      if (waited != 0 && errno == ETIMEDOUT) Open();  // what is done hangs: the program must not
    }
    t_depth = 1;
    return true;
  }
  // The calling thread has entered.
  static bool Inside() { return t_depth != 0; }
  // At the end of a call; after all else that is done there.
  void Leave() {
    if (t_depth == 0) return;
    if (t_depth == 1 && asked_.load(std::memory_order_relaxed) == kAsked && inside_.Sum() == 1)
      TryAsked(1);
    if (--t_depth != 0) return;
    inside_.Leave();
  }

  // Our own thread only. True: nobody is inside, and nobody gets in before Open. False: somebody
  // stayed inside for the whole `limit`; the gate is open.
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

  // Closed while it lives, if nobody stayed inside.
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
  // Our own thread only: `what` is done at the end of a call, by its thread, while nobody else is
  // inside; or here, if nobody was inside for the whole `limit`. Who comes meanwhile waits for it.
  // False: somebody stayed inside, or there were always some; nothing was done.
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
      syscall(SYS_sched_yield);  // somebody tries at this moment
    }
    return true;
  }

  // Whether calls are heard: those that begin from now on.
  void Listen(bool on) { listened_.store(on); }
  bool listened() const { return listened_.load(std::memory_order_relaxed); }

 private:
  // Calls within calls of the calling thread.
  __attribute__((tls_model("initial-exec"))) static constinit thread_local uint32_t t_depth;

  // `own`: whether the calling thread is inside. The gate is closed for it: nobody comes between
  // the look whether others are inside and what is done.
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
  What what_ = nullptr;  // of one that is asked for
  ShardedCount inside_;
};

__attribute__((
    tls_model("initial-exec"))) inline constinit thread_local uint32_t CallGate::t_depth = 0;

}  // namespace gprofx::cuda
