// Defines limits for the content of one imported file. They keep a hostile file from filling the
// memory.
#pragma once

#include <cstddef>

namespace gprofx::importers {

inline constexpr size_t kMaxThreads = 65'536, kMaxNodes = 6'000'000;
inline constexpr size_t kMaxDepth = 4096;  // maximum number of frames of a stack

}  // namespace gprofx::importers
