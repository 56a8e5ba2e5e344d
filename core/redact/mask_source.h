// Masks secrets in source text before it is stored: views print the lines of a program, and
// profiles are passed on.
//
// A statement that names a secret (mask_arguments.h: password, token, api_key, ...) keeps its code,
// but the contents of its strings and comments become "***". Other lines are masked as arguments
// are. Secrets that nothing names, such as connect("u", "hunter2"), are not found. Written for
// Python; strings of C and C++ are alike. Lines keep their numbers. Pure, any thread; linear.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

std::string MaskSource(std::string_view text);

}  // namespace gprofx
