// The last step of a recording with a GPU: findings go into the finished profile.
//
// The program has ended, and its status is the recorder's. The profile is whole without findings,
// so whatever goes wrong here, memory that is not to be had too, changes neither. One thread.
#pragma once

#include <functional>
#include <string>

#include "cli/record/lines.h"
#include "core/base/result.h"

namespace gprofx::record {

// `store` writes them (StoreFindings).
void AddFindings(const std::string& profile, bool verbose, Lines& lines,
                 const std::function<Status(const std::string&)>& store) noexcept;

}  // namespace gprofx::record
