// Reads a whole text file, and decompresses it if it is compressed with zstd. Blocking; any thread.
// Returns an error if the file is missing, is a directory, is damaged, or has more than `limit`
// bytes when decompressed.
#pragma once

#include <string>

#include "core/base/result.h"

namespace gprofx {

inline constexpr size_t kMaxPackedText = size_t{1} << 28;

Result<std::string> ReadPackedText(const std::string& path, size_t limit = kMaxPackedText);

}  // namespace gprofx
