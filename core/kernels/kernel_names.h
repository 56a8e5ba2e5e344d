// Splits the names of kernels into their parts. Accepts the spellings of all tools, such as
// "(anonymous namespace)" and "<unnamed>". Pure, any thread; the results are views of `name`.
#pragma once

#include <string_view>

namespace gprofx {

// Returns the name without "void " and without parameters such as "(int, float*)". Kernels return
// nothing, and their parameters do not identify them.
std::string_view BareKernel(std::string_view name);

// Returns the name without namespaces, template arguments and parameters. Users may give a kernel
// this name in commands.
std::string_view KernelBaseName(std::string_view name);

// Returns the text between the bracket at `open`, "<" or "(", and its closing bracket. If there is
// none, returns the rest of `text`.
std::string_view Inside(std::string_view text, size_t open);

}  // namespace gprofx
