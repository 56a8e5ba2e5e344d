// Splits a kernel's name as spelled by any tool: "(anonymous namespace)" or "<unnamed>". Pure, any
// thread; the views live as long as `name`.
#pragma once

#include <string_view>

namespace gprofx {

// Strips "void " and "(int, float*)": kernels return nothing, and their parameters do not identify
// them.
std::string_view BareKernel(std::string_view name);

// The bare name up to its template arguments, without namespaces, as command lines take it.
std::string_view KernelBaseName(std::string_view name);

// Returns the text between the "<" or "(" at `open` and its match, or the end of `text`.
std::string_view Inside(std::string_view text, size_t open);

}  // namespace gprofx
