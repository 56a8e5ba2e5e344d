// Manages front handlers. A front handler is ours. It is installed in the kernel instead of an
// action of the program, which is called the action behind it. Signals that are not ours are passed
// on to that action.
//
// There may be several fronts for a signal. Suppose a program is entered late a second time. It may
// have set an action during the earlier recording, and that action may call the front that it
// replaced. With a single front, the two would call each other forever, so the action gets a front
// of its own.
//
// Async-signal-safe, lock-free. Threads that create fronts at the same time create them for the
// same action.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

#include "samplers/agent/signals/signals.h"

namespace gprofx::agent {

constexpr int kFronts = 8;
struct Front {
  std::atomic<int> signal{0};  // 0 = this front was never installed
  // The latest published action. Older ones stay in `slots`, because a handler may still hold a
  // pointer to them.
  std::atomic<const struct sigaction*> current{nullptr};
  std::atomic<uint32_t> next{0};
  struct sigaction slots[64] = {};
};

inline const struct sigaction& ActionBehind(const Front& front) {
  return *front.current.load(std::memory_order_acquire);
}

void Publish(Front& front, const struct sigaction& action);

// True if the action is a function of the program, neither SIG_DFL nor SIG_IGN.
bool IsHandler(const struct sigaction& action);
bool IsSame(const struct sigaction& a, const struct sigaction& b);

// Delivers the signal to the program's action, as the action's flags require.
void PassOn(RealAction real, Front& front, int signal, siginfo_t* info, void* context);

}  // namespace gprofx::agent
