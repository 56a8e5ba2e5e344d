// What a seccomp filter answers to a system call: classic BPF, run as the kernel would. Pure.
//
// The agent asks a filter before the program installs it, because afterwards a wrong system call
// may kill. Source: Linux, kernel/seccomp.c (seccomp_check_filter lists the instructions) and
// Documentation/networking/filter.rst.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>

namespace gprofx::agent {

// The value that the filter returns: SECCOMP_RET_* with its data. SECCOMP_RET_KILL_PROCESS for a
// program that the kernel would refuse. `program` must be readable.
uint32_t RunSeccompFilter(const sock_filter* program, uint32_t length, const seccomp_data& call);

// Is the system call carried out and nothing else?
constexpr bool LetsThrough(uint32_t answer) {
  const uint32_t action = answer & SECCOMP_RET_ACTION_FULL;
  return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

}  // namespace gprofx::agent
