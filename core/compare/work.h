// The time that a profile shows for functions, lines, operators and kernels. Values cover only the
// part of the recording that the profile shows.
//
// Functions are those of `report --view`, with the same time. Lines are identified by their
// position in their function, so that moved code still matches. An operator is a framework's own
// function (at::_ops::NAME::call); its time is that of everything below it down to the next
// operator. Pure; linear in nodes and values.
#pragma once

#include <string>

#include "core/compare/run.h"
#include "core/model/profile.h"
#include "core/views/query.h"

namespace gprofx::compare {

// Fills times only; counts come from events (event_counts.h).
WorkDone WorkOf(const Profile& profile, CodeView code);

}  // namespace gprofx::compare
