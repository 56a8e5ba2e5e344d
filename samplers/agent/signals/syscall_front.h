// Calls that the program makes by syscall(2) and that we have to know of, see syscall_front.cpp.
#pragma once

namespace gprofx::agent {

struct SyscallArguments {
  long number, a, b, c, d, e, f;
};

// libc's syscall(2): -1 and errno where it fails.
long RealSyscall(const SyscallArguments& call);

// seccomp.cpp: prctl(2) and seccomp(2).
long ConfineBySyscall(const SyscallArguments& call);
// interpose.cpp: rt_sigaction(2).
long ActionBySyscall(const SyscallArguments& call);

}  // namespace gprofx::agent
