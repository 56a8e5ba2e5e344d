// Reads a whole text file, and decompresses it if it is zstd. Blocking; any thread. Returns one
// error for an unusable file: missing, a directory, above the limit when decompressed, or damaged.
#pragma once

#include <string>

#include "core/base/result.h"

namespace gprofx {

inline constexpr size_t kMaxPackedText = size_t{1} << 28;

Result<std::string> ReadPackedText(const std::string& path, size_t limit = kMaxPackedText);

}  // namespace gprofx
