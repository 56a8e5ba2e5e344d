// Tells which names do not reveal anything about the recorded program: those of common systems,
// interpreters, frameworks and kernel libraries. Each is looked up in an exact list
// (core/redact/public_words.h), so no name is public because of its prefix or the location of its
// file. Any other name counts as the user's own. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gprofx {

// Returns the name of a public file or library without its installation path:
// "/home/me/env/lib/python3.12/site-packages/torch/nn/modules/linear.py" ->
// "site-packages/torch/nn/modules/linear.py"; "/usr/lib/x86_64-linux-gnu/libc.so.6" -> itself.
std::optional<std::string> PublicPath(std::string_view path);

// Returns "torch" for any file below site-packages/torch. "" = not in a known package.
std::string_view PublicPackage(std::string_view path);

// True for up to four digits, as in steps and layers: "7", "2048". More could be a secret.
bool IsShortNumber(std::string_view text);

// Returns the folder of CPython's own sources that a file lies in: "Objects" for
// "/build/Python-3.11/Objects/longobject.c". Returns "" for other files. Call only for an
// interpreter's code.
std::string_view InterpreterFolder(std::string_view file);

// True if this module is only an interpreter. A program that embeds one has functions of its own.
bool IsInterpreterFile(std::string_view path);

bool IsPublicKernel(std::string_view name);    // "void at::native::...<4, float>(int)"
bool IsPublicOperator(std::string_view name);  // "aten::mm"
bool IsPublicLayer(std::string_view name);     // "Linear", "module": torch.nn and its wrappers
bool IsDriverCall(std::string_view name);      // "cudaLaunchKernel"

}  // namespace gprofx
