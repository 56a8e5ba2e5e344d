// Adds findings to the finished profile, as the last step of a recording with a GPU.
//
// The program has already ended, and the exit status of gprof-x record is fixed. The profile is
// complete without findings. A failure here, including a lack of memory, neither changes the status
// nor damages the profile. One thread.
#pragma once

#include <functional>
#include <string>

#include "cli/record/lines.h"
#include "core/base/result.h"

namespace gprofx::record {

// `store` is the function that writes the findings to the profile (StoreFindings).
void AddFindings(const std::string& profile, bool verbose, Lines& lines,
                 const std::function<Status(const std::string&)>& store) noexcept;

}  // namespace gprofx::record
