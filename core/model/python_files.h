// Classifies a Python file by its path. Pure; any thread.
#pragma once

#include <string_view>

namespace gprofx {

// True for the program's own Python code; false for installed packages, the scripts that start
// them, the standard library and frozen modules.
bool IsUserPythonFile(std::string_view path);

// True for the frozen modules that implement the import statement, about six frames per import.
bool IsImportMachinery(std::string_view path);

// Returns the installed package of a file, ".../site-packages/pip"; "" if there is none.
std::string_view PackageOf(std::string_view path);

}  // namespace gprofx
