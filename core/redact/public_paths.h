// Decides which files and libraries are public, and what part of their paths is. The rules are
// those of core/redact/public_names.h. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gprofx {

// Returns the path of a public file or library without the folders in which it is installed:
// "site-packages/torch/nn/modules/linear.py" for
// "/home/me/env/lib/python3.12/site-packages/torch/nn/modules/linear.py". System libraries keep
// their path, such as "/usr/lib/x86_64-linux-gnu/libc.so.6". No value if the name is not public.
std::optional<std::string> PublicPath(std::string_view path);

// Returns the known package in which a file is installed: "torch" for any file below
// site-packages/torch. "" if there is none.
std::string_view PublicPackage(std::string_view path);

// Returns the folder of CPython's sources that contains `file`: "Objects" for
// "/build/Python-3.11/Objects/longobject.c". Returns "" for other files. Call only for files of an
// interpreter's code.
std::string_view InterpreterFolder(std::string_view file);

// True for a module that is only an interpreter. False for a program that embeds one, because it
// also has functions of its own.
bool IsInterpreterFile(std::string_view path);

}  // namespace gprofx
