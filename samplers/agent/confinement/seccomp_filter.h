// Evaluates a seccomp filter for a system call: interprets classic BPF as the kernel would. Pure.
//
// The agent evaluates a filter before the program installs it, because afterwards a forbidden
// system call may kill the process. Source: Linux, kernel/seccomp.c (seccomp_check_filter lists the
// instructions) and Documentation/networking/filter.rst.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>

namespace gprofx::agent {

// Returns the filter's result: SECCOMP_RET_* with its data. Returns SECCOMP_RET_KILL_PROCESS for a
// program that the kernel would reject. `program` must be readable.
uint32_t RunSeccompFilter(const sock_filter* program, uint32_t length, const seccomp_data& call);

// True if a filter with this result lets the system call run, with no other effect than a log
// entry.
constexpr bool LetsThrough(uint32_t answer) {
  const uint32_t action = answer & SECCOMP_RET_ACTION_FULL;
  return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

}  // namespace gprofx::agent
