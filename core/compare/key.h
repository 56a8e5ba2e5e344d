// Identifies a part in two versions of a program by language, module and name. Lines and folders do
// not count, because they change. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/compare/run.h"
#include "core/model/ids.h"
#include "core/views/group.h"

namespace gprofx::compare {

// Returns the key of a part. Equal keys mean the same part. For Python, the file counts as the
// module. For kernels, copies and memsets, only the name counts.
std::string KeyOf(FrameKind kind, std::string_view name, std::string_view file,
                  std::string_view module);

std::string KeyOf(const Label& label);

Part PartOf(Label label);

}  // namespace gprofx::compare
