#pragma once

#include <linux/audit.h>
#include <sys/syscall.h>

#include <cstdint>
#include <span>

namespace gprofx {

constexpr uint32_t kAuditMachine = AUDIT_ARCH_AARCH64;
constexpr uint32_t kFirstForeignCall = 0x40000000;  // there are none

// Calls that only x86-64 has, or has under other names: to open, harmless ones, and at the start of
// a program. There are none.
constexpr std::span<const uint32_t> kOldOpen, kMoreCalls, kStartCalls;

}  // namespace gprofx
