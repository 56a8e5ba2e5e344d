// What makes two parts of two versions of a program the same one: language, module and name. Lines
// move and folders differ; they have no say. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/model/ids.h"
#include "core/model/profile.h"

namespace gprofx::compare {

// Keys that are equal mean the same thing. Of Python the file counts for a module, of kernels,
// copies and memsets the name alone.
std::string KeyOf(FrameKind kind, std::string_view name, std::string_view file,
                  std::string_view module);

}  // namespace gprofx::compare
