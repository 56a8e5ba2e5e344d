#include "symbolize/dwarf/python_lines.h"

#include <limits>

#include "core/base/byte_reader.h"

namespace gprofx {
namespace {

constexpr int64_t kUnitBytes = 2;  // size of a code unit since 3.6

// Returns `line` as an int; 0 if it is not a valid line. Hostile tables may contain any number.
int AsLine(int64_t line) {
  return line > 0 && line <= std::numeric_limits<int>::max() ? static_cast<int>(line) : 0;
}

int8_t Signed(std::byte value) { return static_cast<int8_t>(value); }

int DecodeLnotab(std::span<const std::byte> table, int64_t line, int64_t offset) {
  int64_t address = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    address += std::to_integer<uint8_t>(table[i]);
    if (address > offset) break;
    line += Signed(table[i + 1]);
  }
  return AsLine(line);
}

int DecodePep626(std::span<const std::byte> table, int64_t line, int64_t offset) {
  constexpr int8_t kNoLine = -128;
  int64_t end = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    const int8_t delta = Signed(table[i + 1]);
    if (delta != kNoLine) line += delta;
    end += std::to_integer<uint8_t>(table[i]);
    if (offset < end) return delta == kNoLine ? 0 : AsLine(line);
  }
  return 0;
}

// Skips the payload of an entry in a location table of 3.11. Payload bytes never have bit 7 set, so
// the next entry can be found without knowing the layout of this entry.
void SkipPayload(ByteReader& table) {
  while (!table.at_end() && (table.rest().front() & 0x80) == 0) table.Skip(1);
}

// Reads a signed number that is stored in groups of six bits. CPython writes at most six groups.
int64_t SignedVarint(ByteReader& table) {
  uint64_t raw = 0;
  for (int shift = 0; shift < 36 && !table.at_end(); shift += 6) {
    const auto group = table.Number<uint8_t>();
    raw |= static_cast<uint64_t>(group & 63) << shift;
    if ((group & 64) == 0) break;
  }
  const auto magnitude = static_cast<int64_t>(raw >> 1);
  return (raw & 1) != 0 ? -magnitude : magnitude;
}

int DecodeLocations(std::span<const std::byte> table, int64_t line, int64_t offset) {
  constexpr int kOneLine0 = 10, kOneLine2 = 12, kNoColumns = 13, kLong = 14, kNone = 15;
  ByteReader entries(table);
  int64_t end = 0;
  while (!entries.at_end()) {
    const auto head = entries.Number<uint8_t>();
    const int code = (head >> 3) & 15;
    end += ((head & 7) + 1) * kUnitBytes;
    if (code >= kOneLine0 && code <= kOneLine2) line += code - kOneLine0;
    if (code == kNoColumns || code == kLong) line += SignedVarint(entries);
    if (offset < end) return code == kNone ? 0 : AsLine(line);
    SkipPayload(entries);
  }
  return 0;
}

}  // namespace

PythonLineFormat LineFormatOfPython(int major, int minor) {
  if (major < 3 || (major == 3 && minor < 10)) return PythonLineFormat::kLnotab;
  return major == 3 && minor == 10 ? PythonLineFormat::kPep626 : PythonLineFormat::kLocations;
}

int DecodeLine(PythonLineFormat format, std::span<const std::byte> table, int first_line,
               uint32_t byte_offset) {
  switch (format) {
    case PythonLineFormat::kLnotab:
      return DecodeLnotab(table, first_line, byte_offset);
    case PythonLineFormat::kPep626:
      return DecodePep626(table, first_line, byte_offset);
    case PythonLineFormat::kLocations:
      return DecodeLocations(table, first_line, byte_offset);
  }
  return 0;
}

}  // namespace gprofx
