// Chooses whose code a view shows if the query does not say.
//
// Tables of functions and lines show Python's own where at least half of the recording's time has
// Python frames: there the line that calls native code says more than the native function. Trees
// show both, so that a tree has every function; but a tree of the callers of row #3 shows what the
// table with that row shows. Views of the GPU's metrics, by module, and with --all-frames show
// both; with --own, Python's where there is any. The choice depends on the profile's clock only,
// not on the metric or the filters of a query. Linear in nodes and values. Pure.
#pragma once

#include "core/model/profile.h"
#include "core/views/query.h"

namespace gprofx {

CodeView ChooseCode(const Profile& profile, const Query& query);

}  // namespace gprofx
