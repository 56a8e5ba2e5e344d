// Restricts the sandbox child to the system calls that it needs to read files, manage memory, read
// the clock and talk to its parent. All other calls fail with EPERM: there is no network, no new
// process, no file opened for writing, no code generated at run time, and no signal to or limit of
// another process.
//
// Installs a permanent seccomp filter on the calling process, which needs PR_SET_NO_NEW_PRIVS. If
// that fails, the caller must not continue: only the filter confines a parser that a hostile file
// has taken over. Sanitizers do not work under the filter, which denies the calls that they make.
#pragma once

namespace gprofx {

enum class Confined {
  kThisProcess,  // the process continues with its own code
  kProgram,      // it executes a program, which stays confined, with its libraries
};

// Confines the calling thread; other threads of the process are not confined. Returns false if the
// kernel refuses.
bool RestrictSystemCalls(Confined what = Confined::kThisProcess);

}  // namespace gprofx
