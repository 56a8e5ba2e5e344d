// The room in which a thread's stack is taken (ThreadState::native and what follows it) belongs to one
// taker at a time: a signal may come while it is used. Signal path.
//
// A handler of the program that comes in between may leave by siglongjmp(3) or a switch of stacks, and the
// taker never ends. It is known by the stack: what still runs below lies deeper, but for a
// taker on another stack, which is taken for ended after many refusals.
#pragma once

#include "samplers/agent/late.h"
#include "samplers/agent/safe_load.h"
#include "samplers/agent/session.h"
#include "samplers/agent/threads.h"

namespace gprofx::agent {

class Scratch {
 public:
  // `frame`: of the caller, whose stay in InAgent ends with it. `state` may be null.
  Scratch(ThreadState* state, const void* frame) : state_(state) {
    if (state == nullptr) return;
    const auto at = reinterpret_cast<uint64_t>(frame);
    is_mine_ = !state->busy.exchange(true, std::memory_order_acquire) || WasLeft(at);
    if (is_mine_) state->taken_at = at;
  }
  ~Scratch() {
    if (is_mine_) state_->busy.store(false, std::memory_order_release);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  explicit operator bool() const { return is_mine_; }

 private:
  [[gnu::noinline, gnu::cold]] bool WasLeft(uint64_t frame) {
    constexpr uint64_t kSignalFrame = 256;  // what came in between took more of the stack
    constexpr uint32_t kMostRefused = 256;
    const bool is_over = frame + kSignalFrame > state_->taken_at;
    if (!is_over && ++state_->refused < kMostRefused) return false;
    state_->refused = 0;
    UseCopies::current = nullptr;
    const uint32_t perf = state_->ring->perf.load(std::memory_order_relaxed);
    if (perf == wire::kPerfNone) state_->perf_tried = false;  // it may have been about to open
    InAgent::Leave();
    g_session.Count(wire::kTakersLeft);
    return true;
  }

  ThreadState* const state_;
  bool is_mine_ = false;
};

}  // namespace gprofx::agent
