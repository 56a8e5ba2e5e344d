// What rows of every table of a view are made of; see "JSON" in gprof-x-report(1).
#pragma once

#include "cli/json_text.h"
#include "core/views/group.h"
#include "core/views/view.h"

namespace gprofx {

// Of TreeNode or Row.
template <class Values>
void AddValues(Json& row, const Values& values) {
  row["self"] = values.self;
  row["total"] = values.total;
  row["self_samples"] = values.self_samples;
  row["total_samples"] = values.total_samples;
}

void AddLabel(Json& row, const Label& label);

// {name, file, line}, or null for no frame.
Json SeenAsJson(const Profile& profile, FrameId frame);

Json RowsJson(const View& view);
size_t CountNodes(const CallTree& tree);
// At most so many, those with the largest totals; ids are those that they have among all.
Json NodesJson(const View& view, size_t most);
Json ThreadsJson(const View& view);

}  // namespace gprofx
