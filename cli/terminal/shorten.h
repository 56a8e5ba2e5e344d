// Names of functions and kernels in little room, shortened by rule: what tells least goes first.
// Pure, any thread. `printable`: what Printable() returned.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Fits a function name into `columns`: first the parameters go, then template arguments, the return
// type, the namespaces from the outside, and at last its end. An address ("libc.so.6+0x1a20")
// stays.
std::string ShortenName(std::string_view printable, int columns);

// A kernel's full name where it fits, else what the kernel does (core/kernels/kernel_family.h): for
// tables that know no profile. Where there is one, KernelLabels keeps two kernels apart. What
// stands around the name, as in "launches: NAME [512x1x1, 128x1x1]", stays.
std::string ShortenKernel(std::string_view printable, int columns);

}  // namespace gprofx
