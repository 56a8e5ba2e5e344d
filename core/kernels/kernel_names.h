// The parts of a kernel's name that name it, in the spelling of any tool: "(anonymous namespace)"
// or "<unnamed>". Pure, any thread; the views live as long as `name`.
#pragma once

#include <string_view>

namespace gprofx {

// Without "void " and "(int, float*)": a kernel returns nothing and its arguments do not name it.
std::string_view BareKernel(std::string_view name);

// The bare name up to its template arguments, without namespaces: what a command line takes.
std::string_view KernelBaseName(std::string_view name);

// What stands between the "<" or "(" at `open` and its partner, or the end of `text`.
std::string_view Inside(std::string_view text, size_t open);

}  // namespace gprofx
