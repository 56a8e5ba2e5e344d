// Interposes syscall(2). Three calls are handled here; all others go on to libc with the caller's
// arguments and return address unchanged. That matters because the function is called often, and
// because some calls return twice (clone). A system call that a program makes by the instruction is
// not noticed.
#include "samplers/agent/signals/syscall_front.h"

#include <dlfcn.h>
#include <sys/syscall.h>

#include "samplers/agent/machine/machine.h"
#include "samplers/agent/process/session.h"

namespace gprofx::agent {
namespace {

using SyscallFunction = long (*)(long, long, long, long, long, long, long);

long FirstSyscall(long number, long a, long b, long c, long d, long e, long f);

}  // namespace

// The function to which the code at the end of this file jumps. After the first call it is libc's
// syscall.
extern "C" __attribute__((visibility("hidden"))) SyscallFunction gprofx_real_syscall;
constinit SyscallFunction gprofx_real_syscall = FirstSyscall;

namespace {

long FirstSyscall(long number, long a, long b, long c, long d, long e, long f) {
  gprofx_real_syscall = reinterpret_cast<SyscallFunction>(dlsym(RTLD_NEXT, "syscall"));
  return gprofx_real_syscall(number, a, b, c, d, e, f);
}

}  // namespace

long RealSyscall(const SyscallArguments& call) {
  return gprofx_real_syscall(call.number, call.a, call.b, call.c, call.d, call.e, call.f);
}

extern "C" __attribute__((visibility("hidden"))) long gprofx_heard_syscall(long number, long a,
                                                                           long b, long c, long d,
                                                                           long e, long f) {
  const SyscallArguments call{number, a, b, c, d, e, f};
  if (!g_session.joined()) return RealSyscall(call);
  return number == SYS_rt_sigaction ? ActionBySyscall(call) : ConfineBySyscall(call);
}

}  // namespace gprofx::agent

asm(".text\n"
    ".globl syscall\n"
    ".type syscall, @function\n"
    "syscall:\n"
    ".cfi_startproc\n" GPROFX_FRONT_OF_SYSCALL("gprofx_heard_syscall", "gprofx_real_syscall")
    ".cfi_endproc\n"
    ".size syscall, . - syscall\n");
