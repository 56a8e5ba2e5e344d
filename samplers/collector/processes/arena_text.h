// Python's code objects as the agent copied them, read out of memory that may hold anything.
//
// Pure functions over bytes. Texts become UTF-8; what is no character (NUL, surrogates, values
// above U+10FFFF) becomes U+FFFD. Texts are cut after 4,096 characters; a line table above 1 MiB is
// refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gprofx {

struct CodeObject;

// CPython's own storage of a str: `width` bytes a character (1 = Latin-1, 2 = UCS-2, 4 = UCS-4),
// native byte order.
std::string PythonText(std::span<const std::byte> bytes, uint32_t width);

// `record` starts with a CodeRecord and reaches to the end of the arena. Nothing unless the record
// is ready and fits.
std::optional<CodeObject> CopyCode(std::span<const std::byte> record);

}  // namespace gprofx
