// Facts about x86-64 that both sides of the wire need (machine.h).
#pragma once

#include <elf.h>
#include <linux/audit.h>
#include <sys/syscall.h>

#include <cstdint>

namespace gprofx::wire {

constexpr char kMachineName[] = "x86-64";
constexpr uint16_t kElfMachine = EM_X86_64;
constexpr uint32_t kAuditMachine = AUDIT_ARCH_X86_64;
#define GPROFX_LIBRARY_FOLDER "x86_64-linux-gnu"  // name of the folder in Debian
constexpr char kGlibcLoader[] = "/lib64/ld-linux-x86-64.so.2";
constexpr char kMuslLoader[] = "/lib/ld-musl-x86_64.so.1";

// True: gprof-x can enter running programs on this processor (samplers/attach).
constexpr bool kEntersPrograms = true;

// IsOldPoll and IsPause: true for system calls by which the C library waits on x86-64. Newer
// processors do not have these calls, only their successors.
constexpr bool IsOldPoll(int64_t number) {
  return number == SYS_poll || number == SYS_select || number == SYS_epoll_wait;
}
constexpr bool IsPause(int64_t number) { return number == SYS_pause; }

// A system call, decoded from the code before its return address.
struct CallForm {
  int64_t number = -1;  // -1: the code has another form
};

constexpr uint64_t kCallBytes = 7;   // mov $number, %eax; syscall
constexpr uint64_t kEnterBytes = 2;  // syscall

constexpr CallForm FormOfCall(const uint8_t (&code)[kCallBytes]) {
  if (code[0] != 0xb8 || code[5] != 0x0f || code[6] != 0x05) return {};
  return {static_cast<int64_t>(code[1] | code[2] << 8 | code[3] << 16 |
                               static_cast<uint32_t>(code[4]) << 24)};
}

}  // namespace gprofx::wire
