// Shortens the names of functions and kernels. The least informative parts are removed first. Pure,
// any thread. `printable` must be a result of Printable().
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Shortens the name of a function to `columns`. Removes, in this order and as far as needed: the
// parameters, the template arguments, the return type, the outer namespaces, and the end of the
// name. Keeps an address ("libc.so.6+0x1a20").
std::string ShortenName(std::string_view printable, int columns);

// Shortens the name of a kernel to `columns`. Returns the full name if it fits, otherwise what the
// kernel does (core/kernels/kernel_family.h). Keeps text around the name, as in "launches: NAME
// [512x1x1, 128x1x1]". Two kernels may get the same text; KernelLabels avoids that if there is a
// profile.
std::string ShortenKernel(std::string_view printable, int columns);

}  // namespace gprofx
