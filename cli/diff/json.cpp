#include <cmath>

#include "cli/diff/diff.h"
#include "cli/diff/words.h"
#include "cli/json_text.h"
#include "core/views/names.h"

namespace gprofx {
namespace {

using compare::Change;
using compare::Outcome;

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json OutcomeJson(const Outcome& outcome) {
  Json json = {{"verdict", VerdictWord(outcome.verdict)},
               {"tested", outcome.tested},
               {"base_ns", outcome.base},
               {"head_ns", outcome.head},
               {"share", outcome.share}};
  if (!outcome.tested) return json;
  json["change_percent"] = Number(ChangePercent(outcome.estimate.effect));
  json["low_percent"] = Number(ChangePercent(outcome.interval.low));
  json["high_percent"] = Number(ChangePercent(outcome.interval.high));
  json["p"] = outcome.p;
  json["false_discovery_rate"] = outcome.rate;
  json["detectable_percent"] = Number(ChangePercent(outcome.detectable));
  return json;
}

Json ChangesJson(const std::vector<Change>& changes) {
  Json list = Json::array();
  for (const Change& change : changes) {
    Json row = {{"kind", KindWord(change.part.kind, change.part.name)},
                {"name", Utf8(change.part.name)},
                {"file", Utf8(change.part.file)},
                {"line", change.part.line},
                {"module", Utf8(change.part.module)},
                {"fate", FateWord(change.fate)},
                {"was", Utf8(change.other)},
                {"moved", change.moved}};
    row.update(OutcomeJson(change.outcome));
    list.push_back(std::move(row));
  }
  return list;
}

Json ObstaclesJson(const std::vector<compare::Obstacle>& obstacles) {
  Json list = Json::array();
  for (const compare::Obstacle& one : obstacles) {
    list.push_back({{"text", Utf8(ObstacleText(one))},
                    {"what", Utf8(one.what)},
                    {"base", Utf8(one.base)},
                    {"head", Utf8(one.head)}});
  }
  return list;
}

Json FilesJson(const std::vector<std::string>& files) {
  Json list = Json::array();
  for (const std::string& file : files) list.push_back(Utf8(file));
  return list;
}

}  // namespace

std::string DiffJson(const compare::Diff& diff, const DiffOptions&,
                     const DiffSurroundings& around) {
  Json counts = Json::array();
  for (const compare::CountChange& change : diff.counts) {
    counts.push_back({{"name", Utf8(change.name)}, {"base", change.base}, {"head", change.head}});
  }
  const Json json = {{"schema", "gprof-x.diff/1"},
                     {"base", FilesJson(around.base)},
                     {"head", FilesJson(around.head)},
                     {"verdict", VerdictWord(diff.verdict)},
                     {"paired", diff.paired},
                     {"metric", Utf8(diff.metric)},
                     {"obstacles", ObstaclesJson(diff.obstacles)},
                     {"differences", ObstaclesJson(diff.differences)},
                     {"counts",
                      {{"changed", std::move(counts)},
                       {"equal", diff.counts_equal},
                       {"varying", diff.counts_varying}}},
                     {"total", OutcomeJson(diff.total)},
                     {"gpu_total", OutcomeJson(diff.gpu_total)},
                     {"global_percent", Number(ChangePercent(diff.global))},
                     {"gpu_global_percent", Number(ChangePercent(diff.gpu_global))},
                     {"functions", ChangesJson(diff.functions)},
                     {"kernels", ChangesJson(diff.kernels)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gprofx
