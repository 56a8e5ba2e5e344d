// Finds the argument that distinguishes processes of the same program: "f1.cpp" for a compiler,
// "/etc" for ls. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gprofx {

// Returns the file that a command line names, without folders. If there is none, returns the first
// argument that is not an option. Returns "" if there is no argument or if it is the program
// itself. `name` is the short name of the process. Not escaped.
std::string ShortArguments(std::string_view name, std::string_view command);

}  // namespace gprofx
