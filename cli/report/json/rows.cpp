#include "cli/report/json/rows.h"

#include <algorithm>

#include "core/views/naming/names.h"

namespace gprofx {

void AddLabel(Json& row, const Label& label) {
  row["kind"] = KindWord(label.kind, label.name);
  row["name"] = Utf8(label.name);
  row["file"] = Utf8(label.file);
  row["line"] = label.line;
  row["module"] = Utf8(label.module);
}

Json SeenAsJson(const Profile& profile, FrameId id) {
  if (!id) return nullptr;
  const Frame& frame = profile.frame(id);
  return {{"name", Utf8(FrameName(profile, frame))},
          {"file", Utf8(FrameFile(profile, frame))},
          {"line", frame.line}};
}

namespace {

// Adds what is known about the code of a row, except its name.
void AddCode(Json& json, const View& view, const Row& row) {
  json["waiting"] = row.waits;
  if (row.family != Family::kNone) json["interpreter"] = FamilyName(row.family);
  if (view.code != CodeView::kPython) return;
  json["native"] = row.native;
  json["library"] =
      row.library ? Json(Utf8(view.profile.Text(view.profile.module(row.library).path))) : Json();
}

}  // namespace

Json RowsJson(const View& view) {
  const RowTable& table = *view.rows;
  Json list = Json::array();
  for (size_t i = 0; i < table.shown; ++i) {
    const Row& source = table.rows[i];
    Json row = {{"metric", Utf8(view.metric.name)}};
    AddLabel(row, LabelOf(view.profile, table.groups, source.group));
    AddValues(row, source);
    row["seen_as"] = SeenAsJson(view.profile, source.seen_as);
    AddCode(row, view, source);
    if (view.is_numbered) row["row"] = "#" + std::to_string(i + 1);
    list.push_back(std::move(row));
  }
  return list;
}

namespace {

// True if a node has a value of this metric. Nodes without one, such as those that filters removed,
// are omitted.
bool HasSomething(const CallTree& tree, size_t i) {
  return i == 0 || tree.nodes[i].total != 0 || tree.nodes[i].total_samples != 0;
}

// Returns a flag for each node: true if the node is kept. These are the root and the nodes with the
// largest totals, and among equal totals the earlier nodes. The total of freed memory is negative,
// so a node may have a larger total than its parent. A node whose parent is not kept is dropped,
// too.
std::vector<bool> LargestNodes(const CallTree& tree, size_t most) {
  std::vector<bool> is_kept(tree.nodes.size());
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
    is_kept[i] = HasSomething(tree, i);
    if (is_kept[i]) order.push_back(i);
  }
  if (order.size() <= most || most == 0) return is_kept;
  std::nth_element(order.begin() + 1, order.begin() + static_cast<std::ptrdiff_t>(most),
                   order.end(), [&](uint32_t a, uint32_t b) {
                     const int64_t first = tree.nodes[a].total, second = tree.nodes[b].total;
                     return first != second ? first > second : a < b;
                   });
  order.resize(most);
  std::sort(order.begin(), order.end());
  is_kept.assign(tree.nodes.size(), false);
  for (const uint32_t i : order) is_kept[i] = i == 0 || is_kept[tree.nodes[i].parent];
  return is_kept;
}

}  // namespace

size_t CountNodes(const CallTree& tree) {
  size_t count = 0;
  for (size_t i = 0; i < tree.nodes.size(); ++i) count += HasSomething(tree, i);
  return count;
}

// Returns the call tree as a flat list in which parents precede their children. If the objects of a
// deep recursion were nested, they could overflow the stack of a reader.
Json NodesJson(const View& view, size_t most) {
  const CallTree& tree = view.tree->tree;
  const std::vector<bool> is_kept = LargestNodes(tree, most);
  Json list = Json::array();
  std::vector<size_t> ids(tree.nodes.size());
  for (size_t i = 0, id = 0; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    if (!HasSomething(tree, i)) continue;
    ids[i] = id++;
    if (!is_kept[i]) continue;
    Json row = {{"id", ids[i]}, {"parent", i == 0 ? Json(nullptr) : Json(ids[node.parent])}};
    AddLabel(row, i == 0 ? Label{FrameKind::kRoot, "[all]"}
                         : LabelOf(view.profile, view.tree->groups, node.key));
    AddValues(row, node);
    list.push_back(std::move(row));
  }
  return list;
}

Json ThreadsJson(const View& view) {
  const ThreadTable& table = *view.threads;
  Json list = Json::array();
  for (const ThreadRow& thread : table.rows) {
    Json row = {{"kind", thread.is_process ? "process" : "thread"},
                {"name", Utf8(thread.name)},
                {"pid", thread.pid},
                {"tid", thread.is_process ? Json(nullptr) : Json(thread.id)},
                {"self", thread.self},
                {"total", thread.self},
                {"self_samples", thread.samples},
                {"total_samples", thread.samples},
                {"cpu_ns", thread.cpu_ns},
                {"lost_ns", thread.lost_ns},
                {"waiting", thread.waiting},
                {"waits_in", Utf8(thread.waits_in)},
                {"pool", Utf8(thread.pool)}};
    if (table.has_gil) {
      row["cpu_gil_ns"] = thread.cpu_gil;
      row["cpu_nogil_ns"] = thread.cpu_nogil;
    }
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace gprofx
