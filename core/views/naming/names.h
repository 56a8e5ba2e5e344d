// How frames are called in front of people: kind words, names for frames without one. Pure, any
// thread. Nothing here is escaped or cut yet: that is for whoever prints it.
#pragma once

#include <string>
#include <string_view>

#include "core/model/profile.h"

namespace gprofx {

// "model.py", but "nn/__init__.py": a file that is called like a thousand others keeps its folder.
std::string_view ShortFile(std::string_view path);

// The name of a frame; in brackets where there is no function to name: "[libfoo.so]",
// "[truncated]".
std::string FrameName(const Profile& profile, const Frame& frame);

// A module in which the search for callers gave up: "libfoo.so", "code made at run time".
std::string CulpritName(const Profile& profile, ModuleId module);

// py, c, c++, idle, op, cuda, gpu, mark, ?
std::string_view KindWord(FrameKind kind, std::string_view name);

// The file of frame.line; may be 0, its text may be empty.
StringId FileOf(const Profile& profile, const Frame& frame);
std::string_view FrameFile(const Profile& profile, const Frame& frame);

// The program's own Python code, as opposed to installed packages and the scripts that start them,
// the standard library and frozen modules.
bool IsUserPythonFile(std::string_view path);

// The installed package that a file is of: ".../site-packages/pip"; "" for none.
std::string_view PackageOf(std::string_view path);

}  // namespace gprofx
