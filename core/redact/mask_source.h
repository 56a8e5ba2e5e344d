// Masks secrets in source text before it is stored. Views print source lines of the program, and
// users give profiles to others.
//
// In a statement that names a secret (mask_arguments.h: password, token, api_key, ...), the
// contents of all strings and comments become "***". The code stays. Other lines are masked like
// arguments. Secrets without a name, such as connect("u", "hunter2"), are not found. Written for
// Python; strings in C and C++ are similar. Lines keep their numbers. Pure, any thread; linear.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

std::string MaskSource(std::string_view text);

}  // namespace gprofx
