// Makes a name for a function of which only the address is known. The name is the file name of the
// module and the ELF virtual address of the function's first byte: "libcuda.so.1+0x1a20". Such
// names are interned like others: two functions without a known name therefore stay apart in every
// table, file and export. IsAddressName() recognizes these names. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/format.h"
#include "core/base/path.h"

namespace gprofx {

inline std::string AddressName(std::string_view module_path, uint64_t start) {
  return std::string(BaseName(module_path)) + "+0x" + HexText(start, 1);
}

inline bool IsAddressName(std::string_view name) {
  const size_t plus = name.rfind("+0x");
  if (plus == std::string_view::npos || plus == 0 || plus + 3 == name.size()) return false;
  return name.find_first_not_of("0123456789abcdef", plus + 3) == std::string_view::npos;
}

}  // namespace gprofx
