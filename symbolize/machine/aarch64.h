#pragma once

#include <linux/audit.h>
#include <sys/syscall.h>

#include <cstdint>
#include <span>

namespace gprofx {

constexpr uint32_t kAuditMachine = AUDIT_ARCH_AARCH64;
constexpr uint32_t kFirstForeignCall = 0x40000000;  // aarch64 has no second numbering

// System calls that only x86-64 has, or that have another name there: those that open files,
// harmless ones, and those made at program start (x86_64.h). Empty on aarch64.
constexpr std::span<const uint32_t> kOldOpen, kMoreCalls, kStartCalls;

}  // namespace gprofx
