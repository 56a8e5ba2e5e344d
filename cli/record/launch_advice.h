// Explains why programs do not start, or start and cannot be sampled. Reads a few bytes of files;
// keeps no state.
#pragma once

#include <cstdint>
#include <string>

namespace gprofx::record {

// Returns how to run the Python script `command`, as the end of a sentence. "" = it is none.
std::string PythonHint(const std::string& command);
// Returns "no such program", and what was probably meant: a program with a similar name, or the
// script.
std::string WhyNotFound(const std::string& command);

// Returns why exec(2) of `program` failed with `exec_errno`, in more detail than the kernel. For
// example, the kernel only says "No such file or directory" for a script whose interpreter is
// missing.
std::string WhyNotStarted(const std::string& program, int exec_errno);

// Returns a sentence on how many threads got no sampling timer, and what to do; "" if `threads` is
// 0. Each timer counts towards the user's limit of pending signals.
std::string MissingTimers(int64_t threads, uint64_t pending_signal_limit);

}  // namespace gprofx::record
