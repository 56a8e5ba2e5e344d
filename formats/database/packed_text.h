// A text file as a whole, unpacked where it is zstd. Blocking; any thread. Bad files are one error:
// missing, a folder, larger than the limit when unpacked, broken.
#pragma once

#include <string>

#include "core/base/result.h"

namespace gprofx {

inline constexpr size_t kMaxPackedText = size_t{1} << 28;

Result<std::string> ReadPackedText(const std::string& path, size_t limit = kMaxPackedText);

}  // namespace gprofx
