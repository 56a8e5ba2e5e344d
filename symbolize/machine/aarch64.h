#pragma once

#include <linux/audit.h>
#include <sys/syscall.h>

#include <cstdint>
#include <span>

namespace gprofx {

constexpr uint32_t kAuditMachine = AUDIT_ARCH_AARCH64;
constexpr uint32_t kFirstForeignCall = 0x40000000;  // there are none

// Calls that x86-64 has under other names: to open, of which there are none, and harmless ones.
constexpr std::span<const uint32_t> kOldOpen;
constexpr uint32_t kMoreCalls[] = {SYS_ppoll, SYS_getrlimit, SYS_setrlimit};

}  // namespace gprofx
