// Declares a signal action as rt_sigaction(2) uses it on x86-64 and aarch64, and conversions from
// and to libc's struct sigaction. Source: Linux, include/linux/signal_types.h and the
// architectures' asm/signal.h.
#pragma once

#include <csignal>
#include <cstdint>
#include <cstring>

#include "samplers/agent/signals/signals.h"

namespace gprofx::agent {

struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  uint64_t mask;
};
constexpr unsigned long kHasRestorer = 0x04000000;  // SA_RESTORER

inline struct sigaction FromKernel(const KernelAction& from) {
  struct sigaction action {};
  action.sa_handler = from.handler;
  action.sa_flags = static_cast<int>(from.flags & ~kHasRestorer);
  std::memcpy(&action.sa_mask, &from.mask, sizeof from.mask);
  return action;
}

// Converts libc's form of an action to the kernel's. Takes the restorer from `present`, the
// kernel's present action, because libc passes the restorer to the kernel and does not expose it.
inline KernelAction ToKernel(const struct sigaction& action, const KernelAction& present) {
  const auto flags = static_cast<unsigned long>(static_cast<unsigned>(action.sa_flags));
  return {action.sa_handler, (flags & ~kHasRestorer) | (present.flags & kHasRestorer),
          present.restorer, FirstWord(action.sa_mask)};
}

}  // namespace gprofx::agent
