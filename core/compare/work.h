// Reads the time of functions, lines, operators and kernels from a profile. Values cover only the
// slice of the recording that the profile shows.
//
// Functions and their times are those of `report --view`. Lines are identified by their position in
// their function: code that moved still matches. An operator is a framework's own function
// (at::_ops::NAME::call). Its time is that of everything below it, down to the next operator. Pure;
// linear in nodes and values.
#pragma once

#include <string>

#include "core/compare/run.h"
#include "core/model/profile.h"
#include "core/views/query.h"

namespace gprofx::compare {

// Returns the work with its times; event_counts.h adds the counts.
WorkDone WorkOf(const Profile& profile, CodeView code);

}  // namespace gprofx::compare
