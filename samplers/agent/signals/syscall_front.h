// The system calls made through syscall(2) that the agent must handle. syscall_front.cpp decides
// which ones.
#pragma once

namespace gprofx::agent {

struct SyscallArguments {
  long number, a, b, c, d, e, f;
};

// Calls libc's syscall(2): returns -1 and sets errno on failure.
long RealSyscall(const SyscallArguments& call);

// Handles prctl(2) and seccomp(2). Defined in seccomp.cpp.
long ConfineBySyscall(const SyscallArguments& call);
// Handles rt_sigaction(2). Defined in interpose.cpp.
long ActionBySyscall(const SyscallArguments& call);

}  // namespace gprofx::agent
