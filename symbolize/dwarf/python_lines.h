// Decodes line tables of CPython, which map the offset of a bytecode instruction to its source
// line.
//
// Pure functions over the bytes of co_lnotab, co_linetable (3.10) or co_linetable (3.11 and later).
// Any bytes are accepted. Decoding is one pass over the table, without allocation. Lines count from
// 1; 0 means that the table gives no line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gprofx {

enum class PythonLineFormat : uint8_t {
  kLnotab = 0,     // 3.6 to 3.9: pairs (address increment, line increment)
  kPep626 = 1,     // 3.10: pairs (length, line increment), -128 = no line
  kLocations = 2,  // 3.11 and later: variable-length entries with columns
};

// Returns the format that CPython `major`.`minor` uses.
PythonLineFormat LineFormatOfPython(int major, int minor);

// Returns the line of the instruction at `byte_offset` in the bytecode of a code object. The offset
// is in bytes, while f_lasti counts code units from 3.10 on. `first_line` is co_firstlineno.
int DecodeLine(PythonLineFormat format, std::span<const std::byte> table, int first_line,
               uint32_t byte_offset);

}  // namespace gprofx
