// What a profile says was spent: on functions, lines, operators, kernels. Values are those that the
// profile has, so of a part of the recording where it shows one.
//
// Functions are those of `report --view`, with the same time. Lines are told apart by their place
// in their function, so that what moved up or down is still the same. An operator is a framework's
// own (at::_ops::NAME::call); it has the time of all below it down to the next operator. Pure;
// linear in nodes and values.
#pragma once

#include <string>

#include "core/compare/run.h"
#include "core/model/profile.h"
#include "core/views/query.h"

namespace gprofx::compare {

// Times only; counts are those of events (event_counts.h).
WorkDone WorkOf(const Profile& profile, CodeView code);

}  // namespace gprofx::compare
