// Calls that CUPTI began to follow just before it was told to ignore them. Their threads had not
// reached our callback yet, so call_gate.h did not count them. Following is re-enabled for the kind
// of each such call until the call ends; otherwise CUPTI would keep the call open.
//
// Any thread, in a callback; begin and end of a call come from the same thread. Takes a lock.
#pragma once

#include <cupti.h>

#include <atomic>
#include <mutex>

namespace gprofx::cuda {

class Latecomers {
 public:
  using Follow = void (*)(CUpti_CallbackId call, bool on);
  explicit Latecomers(Follow follow) : follow_(follow) {}

  // Hold it around every change of the followed calls.
  std::mutex& lock() { return lock_; }
  // Call it at the begin of an ignored call.
  void Begin(CUpti_CallbackId call) {
    if (t_depth++ != 0) return;
    const std::lock_guard<std::mutex> guard(lock_);
    t_call = call;
    if (inside_[call % kKinds]++ == 0) follow_(call, true);
    ++all_;
  }
  // Call it at the end of a call whose begin was not heard. `listened(call)`: returns whether calls
  // of this kind are followed again by now, so that following stays enabled.
  template <class Listened>
  void End(Listened listened) {
    if (t_depth == 0 || --t_depth != 0) return;
    const std::lock_guard<std::mutex> guard(lock_);
    if (--inside_[t_call % kKinds] == 0 && !listened(t_call)) follow_(t_call, false);
    --all_;
  }
  // True if the calling thread is in a call of a latecomer.
  static bool Inside() { return t_depth != 0; }
  bool None() const { return all_.load() == 0; }
  // True if a late call of this kind has not ended yet. CUPTI must follow the kind until then. The
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
