// What a function is called of which only the place is known: "libcuda.so.1+0x1a20", the file and
// the function's first byte as an ELF virtual address. It is a name like any other, so that every
// table, file and export keeps such functions apart; who asks whether code has a name asks here.
// Pure, any thread.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/path.h"

namespace gprofx {

inline std::string AddressName(std::string_view module_path, uint64_t start) {
  char hex[24];
  std::snprintf(hex, sizeof hex, "+0x%llx", static_cast<unsigned long long>(start));
  return std::string(BaseName(module_path)) + hex;
}

inline bool IsAddressName(std::string_view name) {
  const size_t plus = name.rfind("+0x");
  if (plus == std::string_view::npos || plus == 0 || plus + 3 == name.size()) return false;
  return name.find_first_not_of("0123456789abcdef", plus + 3) == std::string_view::npos;
}

}  // namespace gprofx
