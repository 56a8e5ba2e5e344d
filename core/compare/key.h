// Makes the key that identifies a part in two versions of a program: language, module and name.
// Lines and folders are not in it, because they change. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/compare/run.h"
#include "core/model/ids.h"
#include "core/views/group.h"

namespace gprofx::compare {

// Returns the key of a part; equal keys mean the same part. Python has no modules in this sense, so
// the file takes their place. The key of a kernel, copy or memset contains only its name.
std::string KeyOf(FrameKind kind, std::string_view name, std::string_view file,
                  std::string_view module);

std::string KeyOf(const Label& label);

Part PartOf(Label label);

}  // namespace gprofx::compare
