// Declares the handlers of system calls that the program makes through syscall(2).
// syscall_front.cpp decides which calls they get.
#pragma once

namespace gprofx::agent {

struct SyscallArguments {
  long number, a, b, c, d, e, f;
};

// Calls libc's syscall(2). Returns -1 and sets errno on failure.
long RealSyscall(const SyscallArguments& call);

// Handles prctl(2) and seccomp(2) made through syscall(2). Defined in seccomp.cpp.
long ConfineBySyscall(const SyscallArguments& call);
// Handles rt_sigaction(2) made through syscall(2). Defined in interpose.cpp.
long ActionBySyscall(const SyscallArguments& call);

}  // namespace gprofx::agent
