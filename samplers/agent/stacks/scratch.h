// Takes possession of the memory in which a thread's stack is taken (ThreadState::native and the
// fields after it). A signal may arrive while the memory is used, so it belongs to one taker at a
// time: a signal handler or a call of the program. Runs in signal handlers.
//
// A handler of the program that interrupts a taker may leave by siglongjmp(3) or by switching
// stacks. The taker then never ends. Our handler detects this from the stack that it interrupts.
// While a taker is active, the thread is deeper in the same stack, or on its alternate one. If the
// thread is deeper for another reason, the taker counts as abandoned after it has refused others
// for a tenth of a second; no taker needs a thousandth.
#pragma once

#include <ucontext.h>

#include "samplers/agent/confinement/heavy_fence.h"
#include "samplers/agent/machine/machine.h"
#include "samplers/agent/process/late.h"
#include "samplers/agent/process/session.h"
#include "samplers/agent/process/threads.h"
#include "samplers/agent/process/timers.h"
#include "samplers/agent/signals/safe_load.h"

namespace gprofx::agent {

class Scratch {
 public:
  // Whether the taker runs within an InAgent (late.h). That is kAgent; a launch of a kernel runs
  // without one.
  enum class Of : bool { kAgent, kLaunch };
  // Tries to take the memory for a call of the program. `frame` is an address in the caller's
  // frame. `state` may be null; the memory is then not taken.
  Scratch(ThreadState* state, const void* frame, Of of = Of::kAgent) : state_(state) {
    is_mine_ = state != nullptr && TakeIfFree();
    if (is_mine_) Take(reinterpret_cast<uint64_t>(frame), of);
  }
  // Tries to take the memory for our signal handler, which runs within an InAgent.
  Scratch(ThreadState* state, const ucontext_t& interrupted) : state_(state) {
    const auto at = static_cast<uint64_t>(machine::StackPointerOf(interrupted));
    is_mine_ = TakeIfFree() || TakeFromLeft(at, interrupted);
    if (is_mine_) Take(at, Of::kAgent);
  }
  ~Scratch() {
    if (!is_mine_) return;
    // Until the next taker sets it: a value that never counts as abandoned.
    state_->taken_at = UINT64_MAX;
    state_->busy.store(false, std::memory_order_release);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  explicit operator bool() const { return is_mine_; }

 private:
  // Takes the memory and returns true if nobody has it. Needs no atomic exchange: only the thread
  // itself takes the memory, and a handler that interrupts this function gives it back before it
  // returns. The exception is a thread whose system calls are dispatched (dispatch.h), where
  // another thread may take the memory (NoteDispatched).
  bool TakeIfFree() {
    if (state_->is_dispatched) [[unlikely]]
      return !state_->busy.exchange(true, std::memory_order_acquire);
    if (state_->busy.load(std::memory_order_relaxed)) return false;
    state_->busy.store(true, std::memory_order_relaxed);
    LightFence();  // orders `busy` before later reads, see WaitForHandlers
    return true;
  }
  void Take(uint64_t at, Of of) {
    state_->taken_at = at;
    state_->taken_in_agent = of == Of::kAgent;
    state_->refused = 0;
  }

  // True if the present taker has refused others for so long that it must have been abandoned.
  bool RefusesForLong() {
    constexpr uint32_t kMany = 16;
    constexpr int64_t kLong = 100'000'000;
    const int64_t now = MonotonicNs();
    if (state_->refused++ == 0) state_->refused_since = now;
    return state_->refused > kMany && now - state_->refused_since > kLong;
  }

  [[gnu::noinline, gnu::cold]] bool TakeFromLeft(uint64_t at, const ucontext_t& interrupted) {
    const stack_t& other = interrupted.uc_stack;
    const auto low = reinterpret_cast<uint64_t>(other.ss_sp);
    const bool on_other = (other.ss_flags & SS_DISABLE) == 0 && at - low < other.ss_size;
    const bool is_deeper = on_other || at < state_->taken_at;
    if (is_deeper && !RefusesForLong()) return false;
    UseCopies::current = nullptr;
    if (state_->taken_in_agent) InAgent::Leave();  // ends the InAgent of the abandoned taker
    if (state_->perf_opening) GiveUpOpening(state_);
    g_session.Count(wire::kTakersLeft);
    return true;
  }

  ThreadState* const state_;
  bool is_mine_ = false;
};

}  // namespace gprofx::agent
