// Decodes Python code objects that the agent copied into shared memory, which may contain anything.
//
// Pure functions over bytes. Text becomes UTF-8; invalid characters (NUL, surrogates, values above
// U+10FFFF) become U+FFFD. Text is cut after 4,096 characters. A line table above 1 MiB is
// rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gprofx {

struct CodeObject;

// Converts the text of a str from CPython's internal form to UTF-8. `width` is the number of bytes
// per character, in native byte order: 1 = Latin-1, 2 = UCS-2, 4 = UCS-4. For any other width,
// returns "".
std::string PythonText(std::span<const std::byte> bytes, uint32_t width);

// Decodes a code object. `record` starts with a CodeRecord and extends to the end of the arena.
// Returns none if the record is not complete or does not fit.
std::optional<CodeObject> CopyCode(std::span<const std::byte> record);

}  // namespace gprofx
