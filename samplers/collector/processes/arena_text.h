// Decodes Python code objects, as the agent copied them, from memory that may hold anything.
//
// Pure functions over bytes. Text becomes UTF-8; invalid characters (NUL, surrogates, values above
// U+10FFFF) become U+FFFD. Text is truncated after 4,096 characters; a line table above 1 MiB is
// rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gprofx {

struct CodeObject;

// Returns as UTF-8 the text of a str in CPython's internal storage: `width` bytes per character (1
// = Latin-1, 2 = UCS-2, 4 = UCS-4), native byte order.
std::string PythonText(std::span<const std::byte> bytes, uint32_t width);

// `record` starts with a CodeRecord and extends to the end of the arena. None unless the record is
// ready and fits.
std::optional<CodeObject> CopyCode(std::span<const std::byte> record);

}  // namespace gprofx
