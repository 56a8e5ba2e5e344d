// What kind of library a module is, by its path. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// The C and C++ runtime: libc, its parts, the loader, libstdc++, the vdso. What they do they do for
// whoever calls them.
bool IsCRuntime(std::string_view path);

// A library of the machine or of its compilers, as opposed to the program and what came with it.
bool IsSystemLibrary(std::string_view path);

// "OpenBLAS" for libopenblas64_p-r0-0cf96a72.so; else the file's own name.
std::string LibraryTitle(std::string_view path);

// The same where there is little room: "crypto" for libcrypto.so.3.
std::string LibraryStem(std::string_view path);

}  // namespace gprofx
