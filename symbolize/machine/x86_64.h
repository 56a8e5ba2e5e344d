#pragma once

#include <linux/audit.h>
#include <sys/syscall.h>

#include <cstdint>

namespace gprofx {

constexpr uint32_t kAuditMachine = AUDIT_ARCH_X86_64;
constexpr uint32_t kFirstForeignCall = 0x40000000;  // x32, a second numbering of the same calls

// Calls that aarch64 lacks, or that its C library makes under another name: those that open files,
// with the flags as argument 1, and harmless ones.
constexpr uint32_t kOldOpen[] = {SYS_open};
constexpr uint32_t kMoreCalls[] = {SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_time};
// Calls of the same kind that are made at program start.
constexpr uint32_t kStartCalls[] = {SYS_arch_prctl};

}  // namespace gprofx
