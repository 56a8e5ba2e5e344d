// Calls made through syscall(2) that the agent must handle, see syscall_front.cpp.
#pragma once

namespace gprofx::agent {

struct SyscallArguments {
  long number, a, b, c, d, e, f;
};

// Calls libc's syscall(2): returns -1 and sets errno on failure.
long RealSyscall(const SyscallArguments& call);

// seccomp.cpp: prctl(2) and seccomp(2).
long ConfineBySyscall(const SyscallArguments& call);
// interpose.cpp: rt_sigaction(2).
long ActionBySyscall(const SyscallArguments& call);

}  // namespace gprofx::agent
