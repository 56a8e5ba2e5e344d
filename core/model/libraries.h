// Classifies a module by its path. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// True for the C and C++ runtime: libc and its parts, the loader, libstdc++, the vdso. Views
// attribute the time in it to the caller.
bool IsCRuntime(std::string_view path);

// True for a library that belongs to the system or its compilers, and not to the program or its
// packages.
bool IsSystemLibrary(std::string_view path);

// Returns the name of a known library: "OpenBLAS" for libopenblas64_p-r0-0cf96a72.so. For other
// libraries, returns the file name.
std::string LibraryTitle(std::string_view path);

// Returns a shorter form of the library's name for narrow columns: "crypto" for libcrypto.so.3.
std::string LibraryStem(std::string_view path);

}  // namespace gprofx
