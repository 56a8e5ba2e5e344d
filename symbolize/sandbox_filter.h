// The system calls that the child of the sandbox may make: what reading files, memory, the clock and
// the talk with its parent need. Everything else fails with EPERM: no network, no new process, no
// file opened for writing, no code made at run time, no signal to others.
//
// By a seccomp filter, for the calling process and for good; needs PR_SET_NO_NEW_PRIVS. Where the
// kernel has none the limits of the sandbox remain. Sanitizers' own calls are not in it.
#pragma once

namespace gprofx {

// False if the kernel refuses.
bool RestrictSystemCalls();

}  // namespace gprofx
