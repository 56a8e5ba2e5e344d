#pragma once

#include <linux/audit.h>
#include <sys/syscall.h>

#include <cstdint>
#include <span>

namespace gprofx {

constexpr uint32_t kAuditMachine = AUDIT_ARCH_AARCH64;
constexpr uint32_t kFirstForeignCall = 0x40000000;  // aarch64 has no second numbering

// x86-64 only calls, or calls under other names there: to open files, harmless ones, and at program
// start. Empty here.
constexpr std::span<const uint32_t> kOldOpen, kMoreCalls, kStartCalls;

}  // namespace gprofx
