// Chooses whether a view shows Python code, native code or both, if the query does not say it.
//
// Tables of functions and of lines show only Python if at least half of the recording's time has
// Python frames. The line that calls native code then says more than the native function. Trees
// show both, because they should have every function. The tree of the callers of a row (#3) is an
// exception: it shows what the table with that row shows. Views of GPU metrics, views by module and
// views with --all-frames also show both. Views with --own show only Python if there is any. The
// choice depends neither on the filters of a query nor on its metric, except for GPU metrics.
// Linear in nodes and values. Pure.
#pragma once

#include "core/model/profile.h"
#include "core/views/query.h"

namespace gprofx {

CodeView ChooseCode(const Profile& profile, const Query& query);

}  // namespace gprofx
