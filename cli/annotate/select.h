// Finds the kernel that a name on the command line refers to. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

struct KernelChoice {
  std::string name;  // full demangled name
  int64_t samples = 0;
  std::string shown;  // short name in reports, which no other kernel has
};

// Returns the index in `kernels` of the kernel that `name` refers to. In order of precedence,
// `name` may be:
//  1. the full name,
//  2. the short name in tables,
//  3. the name without return type, namespaces, template arguments and parameters,
//  4. any substring of the full or the short name.
//
// If several kernels match equally well, the Error lists them, most samples first.
Result<size_t> SelectKernel(const std::vector<KernelChoice>& kernels, std::string_view name);

// Returns the bare name of a function: "f" for "void a::b::f<int>(float*)".
std::string BareName(std::string_view name);

}  // namespace gprofx
