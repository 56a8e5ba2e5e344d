// Explains why programs do not start, or start and cannot be sampled. Reads a few bytes of files;
// keeps no state.
#pragma once

#include <cstdint>
#include <string>

namespace gprofx::record {

// Returns why exec(2) of this file failed: what the error number means here. For example, the
// kernel only says "No such file or directory" for a script whose interpreter is missing.
std::string WhyNotStarted(const std::string& program, int exec_errno);

// Returns how many threads got no timer, and what to do; "" if none. Each timer counts as a pending
// signal.
std::string MissingTimers(int64_t threads, uint64_t pending_signal_limit);

}  // namespace gprofx::record
