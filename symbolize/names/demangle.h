// Linker names to names for people.
//
// Pure functions, never fail: what cannot be demangled, or would cost too much, comes back as it
// was. C++ by the compiler's own demangler, both schemes of Rust by that of libiberty.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Longer names are not given to the demangler.
inline constexpr size_t kMaxMangledName = 4096;

// The name without what the linker or optimiser put behind it: symbol versions, .cold, .part.N,
// .constprop.N ...
std::string_view CleanSymbol(std::string_view symbol);

// CleanSymbol, then demangled if that is possible within bounds.
std::string Demangle(std::string_view symbol);

}  // namespace gprofx
