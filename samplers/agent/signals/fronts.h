// Our front handlers. Each is installed in place of an action of the program and passes signals on
// to it.
//
// A program that is entered late may have set an action while an earlier recording was active, and
// that action may pass signals on to the front that it replaced. It needs a front of its own, or
// both would call each other forever.
//
// Async-signal-safe; lock-free. Threads that create fronts concurrently create them for the same
// action.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

#include "samplers/agent/signals/signals.h"

namespace gprofx::agent {

constexpr int kFronts = 8;
struct Front {
  std::atomic<int> signal{0};  // 0 = never installed
  // Published actions. Old ones stay readable for handlers that still hold a pointer.
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

// Delivers the signal to the program's action, as its flags require.
void PassOn(RealAction real, Front& front, int signal, siginfo_t* info, void* context);

}  // namespace gprofx::agent
