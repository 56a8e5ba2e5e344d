#pragma once

#include <linux/audit.h>
#include <sys/syscall.h>

#include <cstdint>

namespace gprofx {

constexpr uint32_t kAuditMachine = AUDIT_ARCH_X86_64;
constexpr uint32_t kFirstForeignCall = 0x40000000;  // x32: a second numbering of the same calls

// System calls that do not exist on aarch64, or for which its C library uses another call. kOldOpen
// opens files, with the flags as argument 1; the calls in kMoreCalls are harmless.
constexpr uint32_t kOldOpen[] = {SYS_open};
constexpr uint32_t kMoreCalls[] = {SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_time};
// System calls of this kind that a program makes at its start.
constexpr uint32_t kStartCalls[] = {SYS_arch_prctl};

}  // namespace gprofx
