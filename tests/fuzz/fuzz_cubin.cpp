// Any bytes as a cubin: functions, lines and a compact copy that opens, or one line.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "symbolize/cubin/cubin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMaxFunctions = 64;
  constexpr uint64_t kMaxOffset = 4096, kStep = 16;
  const auto cubin = gprofx::Cubin::Open(std::as_bytes(std::span(data, size)));
  if (!cubin) return 0;
  std::vector<std::string> names;
  for (const gprofx::CubinFunction& function : cubin->functions()) {
    if (names.size() == kMaxFunctions) break;
    names.push_back(function.name);
    for (uint64_t at = 0; at < std::min(function.size, kMaxOffset); at += kStep) {
      cubin->LinesAt(function, at);
      if (cubin->FunctionAt(function, at) == nullptr) std::abort();
    }
  }
  const std::vector<std::byte> compact = cubin->Compact(names);
  constexpr size_t kTables = 4096;  // what a compact file has beside the copies
  if (compact.size() > 8 * size + kTables) std::abort();
  if (!gprofx::Cubin::Open(compact)) std::abort();
  return 0;
}
