// Which names say nothing of the program that was recorded: those of systems, interpreters,
// frameworks and kernel libraries that everybody has. Each is found in an exact list
// (core/redact/public_words.h), so that no name stays because of how it starts or where its file
// lies. Whatever is not known here counts as the user's own. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gprofx {

// How a public file or library may be called, without where it is installed:
// "/home/me/env/lib/python3.12/site-packages/torch/nn/modules/linear.py" ->
// "site-packages/torch/nn/modules/linear.py"; "/usr/lib/x86_64-linux-gnu/libc.so.6" -> itself.
std::optional<std::string> PublicPath(std::string_view path);

// "torch" for a file below site-packages/torch, whatever the file is called. "": no known package.
std::string_view PublicPackage(std::string_view path);

// "7", "2048": up to four digits, as steps and layers have. More could be a secret.
bool IsShortNumber(std::string_view text);

// A file of CPython's own sources lies in one of its folders, whose name this is: "Objects" of
// "/build/Python-3.11/Objects/longobject.c". "" for others. To be asked of an interpreter's code
// only.
std::string_view InterpreterFolder(std::string_view file);

// Is this module an interpreter and nothing else? A program that embeds one has functions of its
// own.
bool IsInterpreterFile(std::string_view path);

bool IsPublicKernel(std::string_view name);    // "void at::native::...<4, float>(int)"
bool IsPublicOperator(std::string_view name);  // "aten::mm"
bool IsPublicLayer(std::string_view name);     // "Linear", "module": of torch.nn and its wrappers
bool IsDriverCall(std::string_view name);      // "cudaLaunchKernel"

}  // namespace gprofx
