// Classifies a module by its path. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// True for the C and C++ runtime: libc and its parts, the loader, libstdc++, the vdso. Their work
// is attributed to the caller.
bool IsCRuntime(std::string_view path);

// True for a library of the system or its compilers, not of the program or its packages.
bool IsSystemLibrary(std::string_view path);

// Returns "OpenBLAS" for libopenblas64_p-r0-0cf96a72.so; for an unknown library, its file name.
std::string LibraryTitle(std::string_view path);

// A shorter form where space is limited: "crypto" for libcrypto.so.3.
std::string LibraryStem(std::string_view path);

}  // namespace gprofx
