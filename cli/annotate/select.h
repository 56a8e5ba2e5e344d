// Selects the kernel that a name on the command line means. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

struct KernelChoice {
  std::string name;  // demangled
  int64_t samples = 0;
  std::string shown;  // name in reports, unique among kernels
};

// Returns the index in `kernels`. Tries in this order: the full name; the short name, as tables
// show it; the name without return type, namespaces, template arguments and parameters; any
// substring of the full or short name. An exact match takes precedence. If several kernels match
// equally, the Error lists them, most samples first.
Result<size_t> SelectKernel(const std::vector<KernelChoice>& kernels, std::string_view name);

// Returns "f" for "void a::b::f<int>(float*)".
std::string BareName(std::string_view name);

}  // namespace gprofx
