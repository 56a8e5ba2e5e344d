// Names of frames as people read them: words for kinds, and names for frames without one. Pure, any
// thread. Nothing here is escaped or truncated yet; the printer does that.
#pragma once

#include <string>
#include <string_view>

#include "core/model/profile.h"
#include "core/model/python_files.h"

namespace gprofx {

// "model.py", but "nn/__init__.py": file names that occur very often keep their folder.
std::string_view ShortFile(std::string_view path);

// Returns the name of a frame; if it has no function, a name in brackets: "[libfoo.so]",
// "[truncated]".
std::string FrameName(const Profile& profile, const Frame& frame);

// Returns the name of a module in which stack unwinding gave up: "libfoo.so", "code made at run
// time".
std::string CulpritName(const Profile& profile, ModuleId module);

// Returns a Python name without the scopes that only say "a function in a function":
// "load.<listcomp>" for "load.<locals>.<listcomp>".
std::string WithoutLocals(std::string_view name);

// py, c, c++, idle, op, cuda, gpu, mark, ?
std::string_view KindWord(FrameKind kind, std::string_view name);

}  // namespace gprofx
