// Any text as a perf map parses, in whatever pieces it comes, and names are parts of it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "symbolize/elf/perf_map.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  gprofx::PerfMap whole, pieces;
  whole.Feed(text);
  whole.Finish();
  const size_t piece = size == 0 ? 1 : 1 + data[0] % 16;
  for (size_t at = 0; at < size; at += piece) pieces.Feed(text.substr(at, piece));
  pieces.Finish();
  size_t lines = 0;
  for (const char c : text) lines += c == '\n';
  // n intervals have 2n borders, so never more than 2n - 1 pieces.
  if (whole.size() > 2 * (lines + 1) || whole.size() != pieces.size()) std::abort();
  for (uint64_t address = 0; address < 0x400; address += 0x10) {
    const std::string_view name = whole.Find(address);
    if (name != pieces.Find(address)) std::abort();
    if (!name.empty() && text.find(name) == std::string_view::npos) std::abort();
  }
  return 0;
}
