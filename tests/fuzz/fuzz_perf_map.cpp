// Any text as a perf map parses, and every range that a line names has a name afterwards.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "symbolize/perf_map.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const gprofx::PerfMap map = gprofx::PerfMap::Parse(text);
  size_t lines = 0;
  for (const char c : text) lines += c == '\n';
  // n intervals have 2n borders, so never more than 2n - 1 pieces.
  if (map.size() > 2 * (lines + 1)) std::abort();
  for (uint64_t address = 0; address < 0x400; address += 0x10) {
    const std::string_view name = map.Find(address);
    if (!name.empty() && text.find(name) == std::string_view::npos) std::abort();
  }
  return 0;
}
