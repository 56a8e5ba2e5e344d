// Names of kernels in little room. Pure, any thread; the result goes through the rules below until
// it fits, and names of other code are not hurt by them.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// First go what tells nothing ("void", parameters), then template arguments, then namespaces from
// the outside, at last the middle. Two things that tell more than the name around them stay: the
// kernel that CUTLASS and Thrust wrap ("Kernel2<cutlass_80_...>" is "cutlass_80_..."), and the
// functor or lambda that an elementwise kernel applies
// ("vectorized_elementwise_kernel<CUDAFunctor_add>").
// `printable`: what Printable() returned.
std::string ShortenKernel(std::string_view printable, int columns);

// The name without "void" and parameters: what is left out tells nothing.
std::string BareKernel(std::string_view printable);

// The name without namespaces, template arguments and parameters: what a command line takes.
std::string KernelBaseName(std::string_view name);

}  // namespace gprofx
