// A profile file, written again without what tells whose it is (core/redact/redact.h): also its
// streams. Code of kernels, sources, findings and tables of analyses are left out. Errors are one
// line with the way out; nothing is at `output` then. Blocking; one thread.
#pragma once

#include <string>

#include "core/base/result.h"

namespace gprofx {

Status WriteRedacted(const std::string& input, const std::string& output, const std::string& key);

}  // namespace gprofx
