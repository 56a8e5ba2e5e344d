// Knows whether the program's threads are inside of CUDA calls, and has things done where none is.
// Threads pass at the begin and end of each call that we listen to (10 ns). Calls within calls pass.
//
// Two faults of CUPTI 13.0 ask for it. It stops sampling of instructions under its own lock and then
// wants the context's, while a launching thread has the context's and wants CUPTI's, a deadlock: so
// the gate is closed, and threads wait at the begin of a call, where they hold no lock of the
// driver's. And a call that begins while it is listened to and ends when it is not stays open for
// CUPTI: all later calls of the thread are within it and have its correlation id, for good, whoever
// uses CUPTI. Who waits at the begin has begun; so listening ends at the end of somebody's call, if
// nobody else is inside.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

namespace gprofx::cuda {

class CallGate {
 public:
  // Any thread, at the begin of a call; `always`: of one that is listened to even while others are
  // not. False: nobody listens, and the end is not to be looked at.
  bool Enter(bool always = false) {
    if (t_own.depth != 0) return ++t_own.depth, true;
    std::atomic<int32_t>& inside = InsideOfOwnShard();
    while (true) {
      inside.fetch_add(1);
      if (closed_.load() == 0 && (always || listened())) break;
      inside.fetch_sub(1);
      if (closed_.load() == 0) return false;
      syscall(SYS_futex, &closed_, FUTEX_WAIT_PRIVATE, 1, nullptr, nullptr, 0);
    }
    t_own.depth = 1;
    return true;
  }
  // The calling thread has entered.
  static bool Inside() { return t_own.depth != 0; }
  // At the end of a call; after all else that is done there.
  void Leave() {
    if (t_own.depth == 0 || --t_own.depth != 0) return;
    if (asked_.load(std::memory_order_relaxed) != nullptr && CountInside() == 1) DoAsked();
    InsideOfOwnShard().fetch_sub(1, std::memory_order_release);
  }

  // Our own thread only. True: nobody is inside, and nobody gets in before Open. False: somebody
  // stayed inside for the whole `limit`; the gate is open.
  bool Close(std::chrono::nanoseconds limit) {
    using Clock = std::chrono::steady_clock;
    closed_.store(1);
    for (const Clock::time_point end = Clock::now() + limit; Clock::now() < end;) {
      if (CountInside() == 0) return true;
      syscall(SYS_sched_yield);
    }
    Open();
    return false;
  }
  void Open() {
    closed_.store(0);
    syscall(SYS_futex, &closed_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

  using What = void (*)();
  // Our own thread only: `what` is done at the end of a call, by its thread, while nobody else is
  // inside; or here, if nobody was inside for the whole `limit`. Nobody is held up. False: somebody
  // stayed inside, or there were always some; nothing was done.
  bool AtAnEnd(What what, std::chrono::nanoseconds limit) {
    using Clock = std::chrono::steady_clock;
    done_.store(false);
    asked_.store(what);
    bool seen = false;
    for (const Clock::time_point end = Clock::now() + limit; Clock::now() < end;) {
      if (done_.load()) return true;
      seen = seen || CountInside() != 0;
      syscall(SYS_sched_yield);
    }
    if (asked_.exchange(nullptr) == nullptr) {  // somebody does it at this moment
      while (!done_.load()) syscall(SYS_sched_yield);
      return true;
    }
    if (!seen) what();
    return !seen;
  }

  // Whether calls are heard: those that begin from now on.
  void Listen(bool on) { listened_.store(on); }
  bool listened() const { return listened_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kShards = 16;
  struct alignas(64) Count {
    std::atomic<int32_t> count{0};
  };
  struct OfThread {
    uint32_t depth, shard;  // shard 0 = not chosen yet
  };
  __attribute__((tls_model("initial-exec"))) static constinit thread_local OfThread t_own;

  std::atomic<int32_t>& InsideOfOwnShard() {
    if (t_own.shard == 0) t_own.shard = 1 + threads_.fetch_add(1) % kShards;
    return inside_[t_own.shard - 1].count;
  }
  int32_t CountInside() const {
    int32_t sum = 0;
    for (const Count& shard : inside_) sum += shard.count.load();
    return sum;
  }
  void DoAsked() {
    const What what = asked_.exchange(nullptr);
    if (what == nullptr) return;
    what();
    done_.store(true);
  }

  std::atomic<uint32_t> closed_{0}, threads_{0};
  std::atomic<bool> listened_{true}, done_{false};
  std::atomic<What> asked_{nullptr};
  Count inside_[kShards];
};

inline constinit thread_local CallGate::OfThread CallGate::t_own{};

}  // namespace gprofx::cuda
