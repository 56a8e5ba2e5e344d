// Shortens names of functions and kernels by removing the least informative parts first. Pure, any
// thread. `printable`: the result of Printable().
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Fits a function name into `columns`. Removes the parameters first, then template arguments, the
// return type, the namespaces from the outside, and last its end. Keeps an address
// ("libc.so.6+0x1a20").
std::string ShortenName(std::string_view printable, int columns);

// Returns a kernel's full name if it fits, else what the kernel does
// (core/kernels/kernel_family.h). For tables without a profile. With a profile use KernelLabels,
// which gives different kernels different names. Text around the name is kept, as in "launches:
// NAME [512x1x1, 128x1x1]".
std::string ShortenKernel(std::string_view printable, int columns);

}  // namespace gprofx
