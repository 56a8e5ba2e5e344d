// Any bytes as a CPython line table give a line or 0.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "symbolize/dwarf/python_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kHeadBytes = 6;
  if (size < kHeadBytes) return 0;
  const auto format = static_cast<gprofx::PythonLineFormat>(data[0] % 3);
  const auto first_line = static_cast<int>(data[1] | data[2] << 8 | data[3] << 16);
  const uint32_t offset = data[4] | static_cast<uint32_t>(data[5]) << 8;
  const auto table = std::as_bytes(std::span(data + kHeadBytes, size - kHeadBytes));
  if (gprofx::DecodeLine(format, table, first_line, offset) < 0) std::abort();
  return 0;
}
