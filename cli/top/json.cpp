#include "cli/top/json.h"

#include <algorithm>

#include "cli/top/draw.h"

namespace gprofx {
namespace {

void SetText(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = Utf8(text);
}

Json RowsJson(std::vector<TopRow> rows, TopSort sort, size_t most) {
  SortRows(rows, sort);
  Json list = Json::array();
  for (size_t i = 0; i < std::min(rows.size(), most); ++i) {
    const TopRow& row = rows[i];
    Json json = {{"name", Utf8(row.name)}};
    SetText(json, "file", row.file);
    if (row.line != 0) json["line"] = row.line;
    json["self"] = row.self;
    json["total"] = row.total;
    json["self_since_start"] = row.self_since_start;
    list.push_back(std::move(json));
  }
  return {{"count", rows.size()}, {"rows", std::move(list)}};
}

Json KernelsJson(std::vector<TopKernel> kernels, TopSort sort, size_t most) {
  SortKernels(kernels, sort);
  Json list = Json::array();
  for (size_t i = 0; i < std::min(kernels.size(), most); ++i) {
    const TopKernel& row = kernels[i];
    Json json = {{"name", Utf8(row.name)}, {"ns", row.ns}, {"calls", row.count}};
    SetText(json, "launched_by", row.function);
    SetText(json, "file", row.file);
    if (row.line != 0) json["line"] = row.line;
    list.push_back(std::move(json));
  }
  return {{"count", kernels.size()}, {"rows", std::move(list)}};
}

Json SharesJson(const std::vector<TopShare>& shares) {
  Json json = Json::object();
  for (const TopShare& share : shares) json[Utf8(share.what)] = share.ns;
  return json;
}

}  // namespace

Json TopJson(const Snapshot& s, TopSort sort, size_t most) {
  Json json = {{"schema", "gprof-x.top/1"},
               {"command", Utf8(s.command)},
               {"pid", s.pid},
               {"runs", s.runs},
               {"time", s.now_ns},
               {"interval", s.interval_ns},
               {"metric", {{"name", s.wall_clock ? "wall" : "cpu"}, {"unit", "ns"}}},
               {"cpu",
                {{"total", s.cpu_ns},
                 {"python", s.python_ns},
                 {"gil_held", s.gil_ns},
                 {"waiting", s.idle_ns},
                 {"profiling", s.profiling_ns},
                 {"threads", s.threads},
                 {"samples", s.samples}}}};
  if (!s.focus.empty()) json["focus"] = {{"text", Utf8(s.focus)}, {"total", s.focus_ns}};
  json["functions"] = RowsJson(s.functions, sort, most);
  json["lines"] = RowsJson(s.lines, sort, most);
  json["native"] = RowsJson(s.native, sort, most);
  json["gpu"] = nullptr;
  if (s.gpu) {
    json["gpu"] = {{"interval", s.gpu->interval_ns},        {"ended_ago", s.gpu->behind_ns},
                   {"without_records", s.gpu->unseen_ns},   {"devices", s.gpu->devices},
                   {"device", Utf8(s.gpu->device)},         {"busy", s.gpu->busy_ns},
                   {"busy_parts", SharesJson(s.gpu->busy)}, {"idle", s.gpu->idle_ns},
                   {"idle_causes", SharesJson(s.gpu->idle)}};
  }
  json["kernels"] = KernelsJson(s.kernels, sort, most);
  json["steps"] = nullptr;
  if (s.steps) {
    json["steps"] = {{"median", s.steps->median_ns},
                     {"p95", s.steps->p95_ns},
                     {"last", s.steps->last_ns},
                     {"count", s.steps->count},
                     {"source", s.steps->source}};
  }
  json["quality"] = {{"lost", s.lost_ns}, {"without_name", s.unnamed_ns}};
  return json;
}

}  // namespace gprofx
