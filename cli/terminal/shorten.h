// Names of functions and kernels in little room, shortened by rule: what tells least goes first.
// Pure, any thread. `printable`: what Printable() returned.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Fits a function name into `columns`: first the parameters go, then template arguments, the return
// type, the namespaces from the outside, and at last its end.
std::string ShortenName(std::string_view printable, int columns);

// The same for a kernel, where names of other code are not hurt. First go what tells nothing
// ("void", parameters), then template arguments, then namespaces from the outside, at last the
// middle. Two things that tell more than the name around them stay: the kernel that CUTLASS and
// Thrust wrap ("Kernel2<cutlass_80_...>" is "cutlass_80_..."), and the functor or lambda that an
// elementwise kernel applies ("vectorized_elementwise_kernel<CUDAFunctor_add>").
std::string ShortenKernel(std::string_view printable, int columns);

}  // namespace gprofx
