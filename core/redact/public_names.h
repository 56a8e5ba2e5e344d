// Decides which names are public. A public name says nothing about the recorded program: it belongs
// to a common system, interpreter, framework or kernel library. Each name is looked up in an exact
// list (core/redact/public_words.h); a prefix or the location of a file does not make a name
// public. Every other name is private to the user. Pure.
#pragma once

#include <string_view>

namespace gprofx {

// True for one to four digits: "7", "2048". Names of steps and layers contain such numbers. More
// digits could be a secret.
bool IsShortNumber(std::string_view text);

bool IsPublicKernel(std::string_view name);    // "void at::native::...<4, float>(int)"
bool IsPublicOperator(std::string_view name);  // "aten::mm"
bool IsPublicLayer(std::string_view name);     // "Linear", "module": in torch.nn and its wrappers
bool IsDriverCall(std::string_view name);      // "cudaLaunchKernel"

}  // namespace gprofx
