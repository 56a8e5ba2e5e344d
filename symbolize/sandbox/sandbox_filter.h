// Restricts the sandbox child to the system calls that it needs to read files, manage memory, read
// the clock and talk to its parent. All other calls fail with EPERM: there is no network, no new
// process, no file opened for writing, no code generated at run time, and no signal to or limit of
// another process.
//
// Installs a permanent seccomp filter on the calling process, which needs PR_SET_NO_NEW_PRIVS. If
// that fails, the caller must not go on, because only the filter confines a parser that a hostile
// file has taken over. The filter does not allow the calls that sanitizers make.
#pragma once

namespace gprofx {

enum class Confined {
  kThisProcess,  // the process continues with its own code
  kProgram,      // it executes a program with its libraries, confined, too
};

// Confines the calling thread; the process may have others. Returns false if the kernel refuses.
bool RestrictSystemCalls(Confined what = Confined::kThisProcess);

}  // namespace gprofx
