#include "cli/report/json/report.h"

#include <utility>

#include "cli/json_text.h"
#include "cli/report/json/gpu.h"
#include "cli/report/json/levels.h"
#include "cli/report/json/memory.h"
#include "cli/report/json/phases.h"
#include "cli/report/json/ranks.h"
#include "cli/report/json/rows.h"
#include "cli/report/quality_text.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

const char* SchemaName(const View& view) {
  if (view.threads) return "gprof-x.report.threads/1";
  if (view.timeline) return "gprof-x.report.timeline/1";
  if (view.markers) return "gprof-x.report.markers/1";
  if (view.memory) return "gprof-x.report.memory/1";
  switch (view.query.kind) {
    case ViewKind::kTree:
      return "gprof-x.report.tree/1";
    case ViewKind::kCallers:
      return "gprof-x.report.callers/1";
    case ViewKind::kLines:
      return "gprof-x.report.lines/1";
    case ViewKind::kRanks:
      return "gprof-x.report.ranks/1";
    default:
      return "gprof-x.report.top/1";
  }
}

double Ratio(int64_t ppm) { return 1 + static_cast<double>(ppm) / 1e6; }

// Returns the cost of recording as ratios: time with recording / time without, for the same work.
// If only an upper bound is known, it is in "high".
Json OwnCostJson(const OwnCostFigures& cost) {
  const bool known = cost.state == OwnCostState::kKnown;
  const bool bounded = known || cost.state == OwnCostState::kBounded;
  Json json = {{"ratio", known ? Json(Ratio(cost.ppm)) : Json(nullptr)},
               {"low", bounded ? Json(Ratio(cost.low_ppm)) : Json(nullptr)},
               {"high", bounded ? Json(Ratio(cost.high_ppm)) : Json(nullptr)}};
  if (!known) json["why"] = WhyNoOwnCost(cost.state);
  return json;
}

// Returns the correction of host times. Returns null if the times are as measured.
Json CorrectedJson(const std::optional<HostCorrection>& corrected) {
  if (!corrected) return nullptr;
  return {{"ratio", Ratio(corrected->ppm)},
          {"low", Ratio(corrected->low_ppm)},
          {"high", Ratio(corrected->high_ppm)},
          {"sampled_ratio", Ratio(SampledPpm(*corrected))}};
}

Json QualityJson(const View& view) {
  const DataQuality& q = view.quality;
  Json json = {{"verdict", q.flaws.empty() ? "good" : "degraded"},
               {"degraded", !q.flaws.empty()},
               {"reasons", FlawTexts(q, view.gpu)},
               {"complete", q.complete},
               {"measured_ns", q.measured},
               {"accounted_ns", q.accounted},
               {"lost_ns", q.lost},
               {"unexplained_ns", q.unexplained()},
               {"no_symbol_ns", q.unsymbolized},
               {"profiling_ns", q.profiling},
               {"overhead_ns", q.overhead_known ? Json(q.overhead) : Json(nullptr)},
               {"own_cost", OwnCostJson(q.own_cost)},
               {"not_sampled_ns", q.unsampled},
               {"unseen_ns", q.unseen},
               {"samples", q.samples},
               {"truncated_stacks", q.truncated},
               {"processes_not_sampled", q.not_sampled},
               {"not_sampled", Utf8(q.not_sampled_text)}};
  json["truncated_in"] = Json::array();
  for (const Culprit& culprit : q.culprits) {
    json["truncated_in"].push_back(
        {{"module", Utf8(culprit.module)}, {"samples", culprit.samples}});
  }
  Json problems = Json::array();
  for (const std::string& problem : q.problems) problems.push_back(Utf8(problem));
  json["problems"] = std::move(problems);
  if (!view.imported.from.empty()) json["imported_from"] = Utf8(view.imported.from);
  Json counters = Json::object();
  for (const auto& [name, value] : view.profile.quality) counters[Utf8(name)] = value;
  json["counters"] = std::move(counters);
  return json;
}

Json LineJson(const View& view, FrameId line) {
  if (!line) return nullptr;
  const Frame& frame = view.profile.frame(line);
  return {{"function", Utf8(FrameName(view.profile, frame))},
          {"file", Utf8(std::string(FrameFile(view.profile, frame)))},
          {"line", frame.line}};
}

Json LateJson(const View& view, const OwnExcess& late) {
  Json json = LineJson(view, late.line);
  if (late.line) json["value"] = late.ns;
  return json;
}

Json OwnJson(const View& view, const OwnFunction& own) {
  Json json = LineJson(view, own.line);
  if (!own.line) return json;
  json["value"] = own.ns;
  json["called_from"] = LineJson(view, own.entry);
  json["library"] = Utf8(own.library);
  json["library_value"] = own.library_ns;
  json["at_import_value"] = own.at_import_ns;
  json["library_import_value"] = own.library_import_ns;
  return json;
}

// Returns the verdict. Returns null if the view has none.
Json VerdictJson(const View& view) {
  if (!view.verdict) return nullptr;
  const TimeVerdict& verdict = *view.verdict;
  return {{"own", OwnJson(view, verdict.own)},
          {"late", LateJson(view, verdict.late)},
          {"imports_value", verdict.imports.ns},
          {"value", verdict.whole},
          {"program", Utf8(verdict.program)},
          {"program_value", verdict.program_ns},
          {"program_processes", verdict.program_processes},
          {"cpu_ns", verdict.cpu_ns},
          {"length_ns", verdict.length_ns},
          {"waiting_ns", verdict.waiting_ns},
          {"python_cpu_ns", verdict.python_cpu_ns},
          {"with_gil_ns", verdict.with_gil_ns},
          {"busy_threads", verdict.busy_threads}};
}

Json RecordingJson(const View& view) {
  const Profile& profile = view.profile;
  Json meta = Json::object();
  for (const auto& [name, value] : profile.meta) {
    if (name != "problems" && name != "not_sampled") meta[Utf8(name)] = Utf8(value);
  }
  return {{"processes", view.recording.processes},
          {"programs", profile.processes.size()},
          {"threads", view.recording.threads},
          {"meta", std::move(meta)}};
}

void Append(Json& list, Json more) {
  for (Json& row : more) list.push_back(std::move(row));
}

// Adds the tables of a view as one list. The member "metric" of a row says to which table the row
// belongs. In the report of a GPU metric, the table of the GPU comes first.
void AddTables(Json& json, const View& view) {
  Json list = Json::array();
  size_t all = 0;
  const auto add = [&](const auto& table, Json (*rows)(const View&)) {
    if (!table) return;
    Append(list, rows(view));
    all += table->rows.size();
  };
  add(view.kernels, &KernelRowsJson);
  add(view.levels, &LevelRowsJson);
  add(view.waits, &WaitRowsJson);
  add(view.rows, &RowsJson);
  add(view.gpu_lines, &GpuLineRowsJson);
  json["rows_total"] = all;
  json["rows"] = std::move(list);
}

}  // namespace

Json ReportValue(const View& view, const std::vector<std::string>& files, ListRoom& room) {
  const Metric& metric = view.metric;
  const Query& query = view.query;
  Json json = {{"schema", SchemaName(view)},
               {"file", Utf8(files.front())},
               {"metric",
                {{"name", Utf8(metric.name)},
                 {"unit", Utf8(metric.unit)},
                 {"kind", metric.kind == MetricKind::kSampled ? "sampled" : "exact"}}},
               {"base", view.base},
               {"kept", view.kept},
               {"filters",
                {{"focus", Utf8(query.focus)},
                 {"ignore", Utf8(query.ignore)},
                 {"all_frames", query.all_frames},
                 {"own", query.own},
                 {"view", CodeName(view.code)}}},
               {"verdict", VerdictJson(view)},
               {"quality", QualityJson(view)},
               {"corrected", CorrectedJson(view.profile.corrected)},
               {"recording", RecordingJson(view)},
               {"part", PartJson(view)},
               {"phases", PhasesJson(view)},
               {"steps", StepsJson(view)}};
  if (view.gpu.present) {
    json["wall"] = WallJson(view);
    json["gpu"] = GpuJson(view);
  }
  if (files.size() > 1) {
    json["files"] = Json::array();
    for (const std::string& file : files) json["files"].push_back(Utf8(file));
  }
  if (view.ranks) json["ranks"] = RanksJson(*view.ranks);
  if (view.query.kind == ViewKind::kRanks) json["idle_causes"] = IdleCausesJson(view.lanes);
  if (view.markers) json["markers"] = MarkersJson(*view.markers);
  if (view.memory) json["memory"] = MemoryJson(view);
  if (view.timeline) {
    json["timeline"] = TimelineJson(view);
  } else if (view.threads) {
    json["rows"] = ThreadsJson(view);
  } else if (view.tree) {
    json["rows"] = NodesJson(view, room.Keep("/rows", CountNodes(view.tree->tree)));
  } else if (!view.markers && !view.memory) {
    AddTables(json, view);
    if (view.query.kind == ViewKind::kRanks) AddByRank(json["rows"], *view.rows);
  }
  return json;
}

std::string ReportJson(const View& view, const std::vector<std::string>& files) {
  ListRoom all;
  return PrintedJson(ReportValue(view, files, all), 1);
}

}  // namespace gprofx
