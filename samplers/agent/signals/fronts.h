// Front handlers of ours, each with the action of the program that stands behind it.
//
// A program that is entered late may have set an action while we were there before, which passes on
// to the front that it replaced: the action needs a front of its own, or both would call each other
// for ever.
//
// Async-signal-safe; lock-free. Threads that make fronts at once make them of the same action.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

#include "samplers/agent/signals/signals.h"

namespace gprofx::agent {

constexpr int kFronts = 8;
struct Front {
  std::atomic<int> signal{0};  // 0 = never installed
  // Published actions: an old one stays readable for handlers that hold it.
  std::atomic<const struct sigaction*> current{nullptr};
  std::atomic<uint32_t> next{0};
  struct sigaction slots[64] = {};
};

inline const struct sigaction& ActionBehind(const Front& front) {
  return *front.current.load(std::memory_order_acquire);
}

void Publish(Front& front, const struct sigaction& action);

// Is it a function of the program, neither the default nor to ignore the signal?
bool IsHandler(const struct sigaction& action);
bool IsSame(const struct sigaction& a, const struct sigaction& b);

// Gives the signal to the action behind the front, as its flags ask for.
void PassOn(RealAction real, Front& front, int signal, siginfo_t* info, void* context);

}  // namespace gprofx::agent
