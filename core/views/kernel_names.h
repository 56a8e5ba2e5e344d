// The parts of a kernel's name that name it. Pure, any thread; the views live as long as `name`.
#pragma once

#include <string_view>

namespace gprofx {

// Without "void " and "(int, float*)": a kernel returns nothing and its arguments do not name it.
std::string_view BareKernel(std::string_view name);

// The bare name up to its template arguments, without namespaces: what a command line takes.
std::string_view KernelBaseName(std::string_view name);

}  // namespace gprofx
