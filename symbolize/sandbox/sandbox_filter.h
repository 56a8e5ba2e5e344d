// The system calls that the child of the sandbox may make: what reading files, memory, the clock
// and the talk with its parent need. Everything else fails with EPERM: no network, no new process,
// no file opened for writing, no code made at run time, no signal to others, no limit of others.
//
// By a seccomp filter, for the calling process and for good; needs PR_SET_NO_NEW_PRIVS. Where it
// fails the caller must not go on: the filter is what holds a parser that a file has taken over.
// Sanitizers' own calls are not in it.
#pragma once

namespace gprofx {

enum class Confined {
  kThisProcess,  // goes on in its own code
  kProgram,      // executes a program, with its libraries, which is confined, too
};

// False if the kernel refuses. Any number of threads; confines the calling one.
bool RestrictSystemCalls(Confined what = Confined::kThisProcess);

}  // namespace gprofx
