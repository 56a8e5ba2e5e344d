// Tells whether a path names the same file in another process as in ours. It does not in a
// container or after chroot.
#pragma once

#include <cstdint>
#include <optional>

namespace gprofx {

// Returns nothing if the process has ended or must not be read. Any thread.
std::optional<bool> SeesOurFiles(int64_t pid);

}  // namespace gprofx
