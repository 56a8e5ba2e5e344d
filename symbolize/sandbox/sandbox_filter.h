// Limits the system calls of the sandbox child to those needed for reading files, memory, the clock
// and talking to its parent. Everything else fails with EPERM: no network, no new process, no file
// opened for writing, no code generated at run time, no signals to or limits of other processes.
//
// Installs a permanent seccomp filter on the calling process; needs PR_SET_NO_NEW_PRIVS. If
// installing fails, the caller must not go on, because only the filter confines a parser that a
// hostile file has taken over. The filter does not include the calls that sanitizers make.
#pragma once

namespace gprofx {

enum class Confined {
  kThisProcess,  // continues in its own code
  kProgram,      // executes a program with its libraries, which is confined, too
};

// Returns false if the kernel refuses. Confines the calling thread; the process may have others.
bool RestrictSystemCalls(Confined what = Confined::kThisProcess);

}  // namespace gprofx
