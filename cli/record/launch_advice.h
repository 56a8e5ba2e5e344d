// Explains why a program does not start, or starts but cannot be sampled. Reads a few bytes of
// files and keeps no state.
#pragma once

#include <cstdint>
#include <string>

namespace gprofx::record {

// Returns how to run the Python script `command`, as the end of a sentence. Returns "" if it is not
// a Python script.
std::string PythonHint(const std::string& command);
// Returns the message "no such program" together with what the user probably meant: a program with
// a similar name, or a script.
std::string WhyNotFound(const std::string& command);

// Returns why exec(2) of `program` failed with the errno `exec_errno`. The text says more than the
// errno: for a script whose interpreter is missing, that is only "No such file or directory".
std::string WhyNotStarted(const std::string& program, int exec_errno);

// Returns a sentence that says how many threads got no sampling timer, and what to do about it.
// Each timer counts towards the user's limit of pending signals. Returns "" if `threads` is 0.
std::string MissingTimers(int64_t threads, uint64_t pending_signal_limit);

}  // namespace gprofx::record
