// Makes the rows of tables in JSON; see "JSON" in gprof-x-report(1).
#pragma once

#include "cli/json_text.h"
#include "core/views/group.h"
#include "core/views/view.h"

namespace gprofx {

// Adds the times and the numbers of samples to `row`. `values` is a TreeNode or a Row.
template <class Values>
void AddValues(Json& row, const Values& values) {
  row["self"] = values.self;
  row["total"] = values.total;
  row["self_samples"] = values.self_samples;
  row["total_samples"] = values.total_samples;
}

void AddLabel(Json& row, const Label& label);

// Returns the frame as {name, file, line}. Returns null if `frame` is 0.
Json SeenAsJson(const Profile& profile, FrameId frame);

Json RowsJson(const View& view);
size_t CountNodes(const CallTree& tree);
// Returns the call tree, with at most `most` nodes: those with the largest totals. Their ids are
// those in the whole tree.
Json NodesJson(const View& view, size_t most);
Json ThreadsJson(const View& view);

}  // namespace gprofx
