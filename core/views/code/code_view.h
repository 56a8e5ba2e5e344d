// Chooses between Python and native code if the query does not say which to show.
//
// Tables of functions and of lines show Python only if at least half of the recording's time has
// Python frames: a line that calls native code then says more than the native function. Trees show
// both, because they should have every function. The tree of the callers of a row (#3) is an
// exception: it shows what the table with that row shows. Both are also shown by views of GPU
// metrics, by views by module, and with --all-frames. With --own, only Python is shown if there is
// any. The choice does not depend on the metric or the filters of a query, except that GPU metrics
// are detected. Linear in nodes and values. Pure.
#pragma once

#include "core/model/profile.h"
#include "core/views/query.h"

namespace gprofx {

CodeView ChooseCode(const Profile& profile, const Query& query);

}  // namespace gprofx
