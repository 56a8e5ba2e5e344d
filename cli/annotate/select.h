// Which kernel is meant by the name on the command line. Pure.
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
  std::string shown;  // what reports call it; none of two kernels are called the same
};

// The position in `kernels`, tried in this order: the full name; the short one, as tables show it;
// the name without return type, namespaces, template arguments and parameters; any part of the name
// or of the short one. An exact match wins over others; when several kernels fit equally the Error
// lists them, most samples first.
Result<size_t> SelectKernel(const std::vector<KernelChoice>& kernels, std::string_view name);

// "f" of "void a::b::f<int>(float*)".
std::string BareName(std::string_view name);

}  // namespace gprofx
