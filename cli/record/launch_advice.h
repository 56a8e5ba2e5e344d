// Sentences about programs that do not start, or start and cannot be sampled. Read a few bytes of
// files; keep no state.
#pragma once

#include <cstdint>
#include <string>

namespace gprofx::record {

// Why exec(2) of this file failed: what the error number means here, such as a script whose
// interpreter is missing, of which the kernel only says "No such file or directory".
std::string WhyNotStarted(const std::string& program, int exec_errno);

// Threads that got no timer, and what to do; "" for none. Each timer counts as a pending signal.
std::string MissingTimers(int64_t threads, uint64_t pending_signal_limit);

}  // namespace gprofx::record
