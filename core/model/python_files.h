// Classifies Python source files by their paths and finds the source file of a frame. Pure; any
// thread.
#pragma once

#include <string_view>

#include "core/model/profile.h"

namespace gprofx {

// True for the program's own Python code. False for installed packages, the scripts that start
// them, the standard library and frozen modules.
bool IsUserPythonFile(std::string_view path);

// True for the frozen modules that implement the import statement. Each import adds about six of
// their frames to the stack.
bool IsImportMachinery(std::string_view path);

// Returns the folder of the installed package that the file belongs to, ".../site-packages/pip"; ""
// if there is none.
std::string_view PackageOf(std::string_view path);

// Returns the source file that contains frame.line. The id may be 0, and its text may be empty.
StringId FileOf(const Profile& profile, const Frame& frame);
std::string_view FrameFile(const Profile& profile, const Frame& frame);

// True for a frame of the Python modules that implement the import statement.
bool RunsImport(const Profile& profile, const Frame& frame);

}  // namespace gprofx
