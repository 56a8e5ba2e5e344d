// Reads a file of /proc whose contents come out of another process's memory, without waiting for it
// for ever: `maps`, `environ`, `cmdline`.
//
// The kernel may have to fault in a page of that process, which lies on a file system that its user
// serves (FUSE), or to wait for a lock that its threads hold. So a thread of its own reads for at
// most kPatience; one that does not come back is left to the kernel. After kMostStuck of those no
// file is read this way any more. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace gprofx {

inline constexpr int kMostStuck = 16;

// The first `limit` bytes; nothing: it cannot be read, or not in time.
std::optional<std::string> ReadWithPatience(const std::string& path, size_t limit);

}  // namespace gprofx
