// The last step of a recording with a GPU: adds findings to the finished profile.
//
// The program has ended, and its status is the recorder's. The profile is complete without
// findings, so no failure here changes either of them, including out of memory. One thread.
#pragma once

#include <functional>
#include <string>

#include "cli/record/lines.h"
#include "core/base/result.h"

namespace gprofx::record {

// `store` writes the findings (StoreFindings).
void AddFindings(const std::string& profile, bool verbose, Lines& lines,
                 const std::function<Status(const std::string&)>& store) noexcept;

}  // namespace gprofx::record
