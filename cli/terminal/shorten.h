// Names of functions and kernels in little room, shortened by rule: what tells least goes first.
// Pure, any thread. `printable`: what Printable() returned.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Fits a function name into `columns`: first the parameters go, then template arguments, the return
// type, the namespaces from the outside, and at last its end.
std::string ShortenName(std::string_view printable, int columns);

}  // namespace gprofx
