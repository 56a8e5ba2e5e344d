// Reads a file of /proc that may make its reader wait for the process, such as `maps`: the kernel
// takes a lock that a thread of that process can hold for as long as it likes. Not for files whose
// contents are that process's memory (`environ`): such a wait may not even end by SIGKILL.
//
// A thread of its own reads for at most 100 ms; one that does not come back in time is left to the
// kernel. After kMaxStuck of those no file is read this way any more. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace gprofx {

inline constexpr int kMaxStuck = 16;

// The first `limit` bytes; nothing: it cannot be read, or not in time.
std::optional<std::string> ReadWithPatience(const std::string& path, size_t limit);

}  // namespace gprofx
