// Reads a file of /proc whose reader may have to wait for the process, such as `maps`. The kernel
// takes a lock that a thread of that process can hold as long as it likes. Do not use it for files
// whose content is that process's memory (`environ`): even SIGKILL may not end a thread that waits
// in such a read.
//
// A separate thread reads for at most 100 ms. If it does not finish in time, it is abandoned. After
// kMaxStuck abandoned threads no file is read this way any more. May be called from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace gprofx {

inline constexpr int kMaxStuck = 16;

// Returns the first `limit` bytes of the file. Returns none if they cannot be read, or not in time.
std::optional<std::string> ReadWithPatience(const std::string& path, size_t limit);

}  // namespace gprofx
