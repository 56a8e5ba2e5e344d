#include "cli/report/json.h"

#include <algorithm>

#include "cli/report/callers.h"
#include "cli/report/gpu_json.h"
#include "cli/report/gpu_text.h"
#include "cli/report/json_text.h"
#include "cli/report/names.h"
#include "cli/report/rows.h"
#include "cli/report/thread_rows.h"
#include "cli/terminal/text.h"
#include "core/processes.h"

namespace gprofx {
namespace {

constexpr size_t kMostCallerNodes = 10'000;

const char* SchemaName(const ReportOptions& options) {
  switch (options.view) {
    case View::kTop:
      return options.by == RowsBy::kThread || options.by == RowsBy::kProcess
                 ? "gprof-x.report.threads/1"
                 : "gprof-x.report.top/1";
    case View::kTree:
      return "gprof-x.report.tree/1";
    case View::kCallers:
      return "gprof-x.report.callers/1";
    case View::kLines:
      return "gprof-x.report.lines/1";
    case View::kThreads:
      return "gprof-x.report.threads/1";
  }
  return "";
}

Json QualityJson(const Analysis& analysis) {
  const DataQuality& q = analysis.quality;
  Json json = {{"verdict", q.reasons.empty() ? "good" : "degraded"},
               {"degraded", !q.reasons.empty()},
               {"reasons", q.reasons},
               {"complete", q.complete},
               {"measured_ns", q.measured},
               {"accounted_ns", q.accounted},
               {"lost_ns", q.lost},
               {"unexplained_ns", q.unexplained()},
               {"no_symbol_ns", q.unsymbolized},
               {"overhead_ns", q.overhead_known ? Json(q.overhead) : Json(nullptr)},
               {"not_sampled_ns", q.unsampled},
               {"samples", q.samples},
               {"truncated_stacks", q.truncated},
               {"processes_not_sampled", q.not_sampled},
               {"not_sampled", Utf8(q.not_sampled_text)}};
  json["truncated_in"] = Json::array();
  for (const Culprit& culprit : q.culprits) {
    json["truncated_in"].push_back({{"module", Utf8(culprit.module)}, {"samples", culprit.samples}});
  }
  Json problems = Json::array();
  for (const std::string& problem : q.problems) problems.push_back(Utf8(problem));
  json["problems"] = std::move(problems);
  Json counters = Json::object();
  for (const auto& [name, value] : analysis.profile.quality) counters[Utf8(name)] = value;
  json["counters"] = std::move(counters);
  return json;
}

Json RecordingJson(const Profile& profile) {
  Json meta = Json::object();
  for (const auto& [name, value] : profile.meta) {
    if (name != "problems" && name != "not_sampled") meta[Utf8(name)] = Utf8(value);
  }
  return {{"processes", CountProcesses(profile)},
          {"programs", profile.processes.size()},
          {"threads", profile.threads.size()},
          {"meta", std::move(meta)}};
}

void AddLabel(Json& row, const Label& label) {
  row["kind"] = KindWord(label.kind, label.name);
  row["name"] = Utf8(label.name);
  row["file"] = Utf8(label.file);
  row["line"] = label.line;
  row["module"] = Utf8(label.module);
}

template <class Values>
void AddValues(Json& row, const Values& values) {
  row["self"] = values.self;
  row["total"] = values.total;
  row["self_samples"] = values.self_samples;
  row["total_samples"] = values.total_samples;
}

Json RowsJson(const Analysis& analysis, Json& json) {
  const bool lines = analysis.options.view == View::kLines;
  const By by = lines || analysis.options.by == RowsBy::kLine ? By::kLine
                : analysis.options.by == RowsBy::kModule      ? By::kModule
                                                              : By::kFunction;
  const Profile& profile = analysis.profile;
  const Groups groups = GroupFrames(profile, by, lines);
  const std::vector<Row> rows =
      lines ? LineRows(profile, analysis.tree, groups) : FlatRows(profile, analysis.tree, groups);
  const size_t shown = std::min(rows.size(), Limit(analysis, rows.size()));
  json["rows_total"] = rows.size();
  Json list = Json::array();
  for (size_t i = 0; i < shown; ++i) {
    Json row = {{"metric", Utf8(analysis.metric.name)}};
    AddLabel(row, rows[i].group == 0 ? Label{FrameKind::kUnknown,
                                             lines ? "[no line]" : "[outside of any function]"}
                                     : LabelOf(profile, groups, rows[i].group));
    AddValues(row, rows[i]);
    row["seen_as"] = SeenAsJson(profile, rows[i].seen_as);
    list.push_back(std::move(row));
  }
  return list;
}

// A flat list, parents first: nested objects of a deep recursion would exhaust the stack of a
// reader.
Json NodesJson(const Profile& profile, const Groups& groups, const CallTree& tree) {
  Json list = Json::array();
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const TreeNode& node = tree.nodes[i];
    Json row = {{"id", i}, {"parent", i == 0 ? Json(nullptr) : Json(node.parent)}};
    AddLabel(row, i == 0 ? Label{FrameKind::kRoot, "[all]"} : LabelOf(profile, groups, node.key));
    AddValues(row, node);
    list.push_back(std::move(row));
  }
  return list;
}

Result<Json> TreeJson(const Analysis& analysis) {
  const By by = analysis.options.by == RowsBy::kFunction ? By::kFunction
                : analysis.options.by == RowsBy::kLine   ? By::kLine
                : analysis.options.by == RowsBy::kModule ? By::kModule
                                                         : By::kCallSite;
  const Profile& profile = analysis.profile;
  const Groups groups = GroupFrames(profile, by, false);
  if (analysis.options.view == View::kTree) {
    return NodesJson(profile, groups, Regroup(analysis.tree, groups.of_frame));
  }
  const std::string& name = analysis.options.callers_of;
  const std::vector<uint32_t> targets = FindGroups(profile, groups, name);
  if (targets.empty()) {
    return Error{"no function '" + FitEnd(Printable(name), 60) + "' in this profile",
                 "'gprof-x report --top' lists the names"};
  }
  return NodesJson(profile, groups, CallerTree(analysis.tree, groups, targets, kMostCallerNodes));
}

Json ThreadsJson(const Analysis& analysis) {
  const ThreadTable table = ThreadRows(analysis);
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
                {"lost_ns", thread.lost_ns}};
    if (table.has_gil) {
      row["cpu_gil_ns"] = thread.cpu_gil;
      row["cpu_nogil_ns"] = thread.cpu_nogil;
    }
    list.push_back(std::move(row));
  }
  return list;
}

// The rows of a view that shows more than one metric; a report of a GPU begins with its table.
Json PictureRowsJson(const Analysis& analysis, Json& json) {
  size_t kernels = 0, waits = 0;
  Json list = KernelRowsJson(analysis, kernels);
  if (analysis.options.by != RowsBy::kKernel) {
    const Json waiting = GpuWaitRowsJson(analysis, waits);
    list.insert(list.end(), waiting.begin(), waiting.end());
    const Json rows = RowsJson(analysis, json);
    list.insert(list.end(), rows.begin(), rows.end());
  }
  const size_t others = json.contains("rows_total") ? json["rows_total"].get<size_t>() : 0;
  json["rows_total"] = kernels + waits + others;
  return list;
}

Json LinesJson(const Analysis& analysis, Json& json) {
  Json list = RowsJson(analysis, json);
  size_t lines = 0;
  const Json gpu = GpuLineRowsJson(analysis, lines);
  list.insert(list.end(), gpu.begin(), gpu.end());
  json["rows_total"] = json["rows_total"].get<size_t>() + lines;
  return list;
}

}  // namespace

std::string Utf8(std::string_view text) {
  std::string out;
  for (size_t pos = 0; pos < text.size();) {
    const size_t start = pos;
    if (DecodeUtf8(text, pos)) {
      out += text.substr(start, pos - start);
    } else {
      out += "\xEF\xBF\xBD";
    }
  }
  return out;
}

Result<std::string> ReportJson(const Analysis& analysis) {
  const ReportOptions& options = analysis.options;
  const Metric& metric = analysis.metric;
  Json json = {{"schema", SchemaName(options)},
               {"file", Utf8(analysis.around.file)},
               {"metric",
                {{"name", Utf8(metric.name)},
                 {"unit", Utf8(metric.unit)},
                 {"kind", metric.kind == MetricKind::kSampled ? "sampled" : "exact"}}},
               {"base", analysis.base},
               {"kept", analysis.tree.nodes[0].total},
               {"filters",
                {{"focus", Utf8(options.focus)},
                 {"ignore", Utf8(options.ignore)},
                 {"all_frames", options.all_frames}}},
               {"quality", QualityJson(analysis)},
               {"recording", RecordingJson(analysis.profile)}};
  if (analysis.gpu.present) {
    json["wall"] = WallJson(analysis.profile);
    json["gpu"] = GpuJson(analysis);
  }
  const std::string schema = SchemaName(options);
  if (schema == "gprof-x.report.threads/1") {
    json["rows"] = ThreadsJson(analysis);
  } else if (ShowsGpuPicture(analysis) || options.by == RowsBy::kKernel) {
    json["rows"] = PictureRowsJson(analysis, json);
  } else if (options.view == View::kLines) {
    json["rows"] = LinesJson(analysis, json);
  } else if (options.view == View::kTop) {
    json["rows"] = RowsJson(analysis, json);
  } else {
    Result<Json> nodes = TreeJson(analysis);
    if (!nodes) return nodes.error();
    json["rows"] = std::move(*nodes);
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gprofx
