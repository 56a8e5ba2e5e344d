// Keeps track of calls that CUPTI began to follow just before it was told to ignore them. When that
// happened, their threads had not reached our callback, so call_gate.h did not count them. CUPTI
// would keep such a call open for ever, so it follows calls of that kind again until the call ends.
//
// Used by any thread, in a callback. The begin and the end of a call come from the same thread.
// Takes a lock.
#pragma once

#include <cupti.h>

#include <atomic>
#include <mutex>

namespace gprofx::cuda {

class Latecomers {
 public:
  using Follow = void (*)(CUpti_CallbackId call, bool on);
  explicit Latecomers(Follow follow) : follow_(follow) {}

  // This lock must be held around every change of the calls that CUPTI follows.
  std::mutex& lock() { return lock_; }
  // Called when a call begins that is to be ignored but that CUPTI reported.
  void Begin(CUpti_CallbackId call) {
    if (t_depth++ != 0) return;
    const std::lock_guard<std::mutex> guard(lock_);
    t_call = call;
    if (inside_[call % kKinds]++ == 0) follow_(call, true);
    ++all_;
  }
  // Called when a call ends whose begin was not recorded. `listened(call)` returns whether CUPTI
  // has to follow calls of this kind by now. If it does, following stays enabled.
  template <class Listened>
  void End(Listened listened) {
    if (t_depth == 0 || --t_depth != 0) return;
    const std::lock_guard<std::mutex> guard(lock_);
    if (--inside_[t_call % kKinds] == 0 && !listened(t_call)) follow_(t_call, false);
    --all_;
  }
  // True if the calling thread is inside a latecomer.
  static bool Inside() { return t_depth != 0; }
  bool None() const { return all_.load() == 0; }
  // True if a latecomer of this kind has not ended yet. CUPTI must follow the kind until then. The
  // caller holds the lock.
  bool Has(CUpti_CallbackId call) const { return inside_[call % kKinds] != 0; }

 private:
  static constexpr uint32_t kKinds = 2048;
  static __attribute__((tls_model("initial-exec"))) constinit thread_local uint32_t t_depth, t_call;

  const Follow follow_;
  std::mutex lock_;
  uint32_t inside_[kKinds] = {};
  std::atomic<uint32_t> all_{0};
};

__attribute__((
    tls_model("initial-exec"))) inline constinit thread_local uint32_t Latecomers::t_depth = 0,
                                                                       Latecomers::t_call = 0;

}  // namespace gprofx::cuda
