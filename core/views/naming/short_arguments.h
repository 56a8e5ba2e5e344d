// The arguments that tell processes of one program apart: "f1.cpp" for a compiler, "/etc" for ls.
// Pure.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Returns the file that a command line names, without folders; else its first argument that is no
// option; "" if there is none, or if it is the program itself. `name`: the short name of the
// process. Not escaped.
std::string ShortArguments(std::string_view name, std::string_view command);

}  // namespace gprofx
