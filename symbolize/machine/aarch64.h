#pragma once

#include <linux/audit.h>
#include <sys/syscall.h>

#include <cstdint>
#include <span>

namespace gprofx {

constexpr uint32_t kAuditMachine = AUDIT_ARCH_AARCH64;
// Larger than the number of any system call: aarch64 has no second numbering of calls (see
// x86_64.h).
constexpr uint32_t kFirstForeignCall = 0x40000000;

// System calls that only x86-64 has, or that have another name on aarch64 (see x86_64.h). Empty on
// aarch64.
constexpr std::span<const uint32_t> kOldOpen, kMoreCalls, kStartCalls;

}  // namespace gprofx
