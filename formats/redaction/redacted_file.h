// Copies a profile file, including its streams, but without data that identifies its owner
// (core/redact/redact.h). Kernel code, sources, findings and analysis tables are left out. An error
// is one line that says what to do; in that case, `output` does not exist. Blocking; one thread.
#pragma once

#include <string>

#include "core/base/result.h"

namespace gprofx {

Status WriteRedacted(const std::string& input, const std::string& output, const std::string& key);

}  // namespace gprofx
