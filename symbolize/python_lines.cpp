#include "symbolize/python_lines.h"

#include <limits>

namespace gprofx {
namespace {

constexpr int64_t kUnitBytes = 2;  // a code unit of 3.6 and later

// Hostile tables may count anywhere; a line outside int is no line.
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

// Reads the entries of a 3.11 location table one after the other.
class LocationCursor {
 public:
  explicit LocationCursor(std::span<const std::byte> table) : table_(table) {}

  bool AtEnd() const { return position_ >= table_.size(); }
  uint8_t Byte() { return AtEnd() ? 0 : std::to_integer<uint8_t>(table_[position_++]); }
  // Payload bytes never have bit 7 set, so the next entry is found without knowing the layout of
  // this one.
  void SkipPayload() {
    while (!AtEnd() && (std::to_integer<uint8_t>(table_[position_]) & 0x80) == 0) position_++;
  }
  int64_t SignedVarint() {
    const uint64_t raw = Varint();
    const auto magnitude = static_cast<int64_t>(raw >> 1);
    return (raw & 1) != 0 ? -magnitude : magnitude;
  }

 private:
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 36 && !AtEnd();
         shift += 6) {  // CPython writes at most six groups for an int
      const uint8_t group = Byte();
      value |= static_cast<uint64_t>(group & 63) << shift;
      if ((group & 64) == 0) break;
    }
    return value;
  }

  std::span<const std::byte> table_;
  size_t position_ = 0;
};

int DecodeLocations(std::span<const std::byte> table, int64_t line, int64_t offset) {
  constexpr int kOneLine0 = 10, kOneLine2 = 12, kNoColumns = 13, kLong = 14, kNone = 15;
  LocationCursor cursor(table);
  int64_t end = 0;
  while (!cursor.AtEnd()) {
    const uint8_t head = cursor.Byte();
    const int code = (head >> 3) & 15;
    end += ((head & 7) + 1) * kUnitBytes;
    if (code >= kOneLine0 && code <= kOneLine2) line += code - kOneLine0;
    if (code == kNoColumns || code == kLong) line += cursor.SignedVarint();
    if (offset < end) return code == kNone ? 0 : AsLine(line);
    cursor.SkipPayload();
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
