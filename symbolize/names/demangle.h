// Translates linker names to readable names.
//
// Pure functions that never fail. A name that cannot be demangled is returned unchanged. If
// demangling would take too much time or memory, a C++ name is returned without template arguments
// and parameters, and other names are returned unchanged. C++ names are demangled by the compiler's
// library; both Rust schemes and D by libiberty.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Names longer than this are not demangled.
inline constexpr size_t kMaxMangledName = 4096;

// Returns the name without the suffixes that the linker or optimizer appended: symbol versions,
// .cold, .part.N, .constprop.N ...
std::string_view CleanSymbol(std::string_view symbol);

// Returns the readable name: applies CleanSymbol, then demangles the name if that is possible
// within the limits.
std::string Demangle(std::string_view symbol);

}  // namespace gprofx
