// Makes names of frames for display: words for kinds of code, and names for frames that have none.
// The printer escapes and truncates them. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/model/profile.h"
#include "core/model/python_files.h"

namespace gprofx {

// Returns the file name of a path: "model.py". Names that occur very often keep their folder:
// "nn/__init__.py".
std::string_view ShortFile(std::string_view path);

// Returns the name of a frame; if it has no function, a name in brackets: "[libfoo.so]",
// "[truncated]".
std::string FrameName(const Profile& profile, const Frame& frame);

// Returns the name of a module in which stack unwinding gave up: "libfoo.so", "code made at run
// time".
std::string CulpritName(const Profile& profile, ModuleId module);

// Returns a Python name without the scopes that only say that a function is defined in another:
// "load.<listcomp>" for "load.<locals>.<listcomp>".
std::string WithoutLocals(std::string_view name);

// Returns the word for a kind of frame: py, c, c++, idle, op, cuda, gpu, mark or ?.
std::string_view KindWord(FrameKind kind, std::string_view name);

}  // namespace gprofx
