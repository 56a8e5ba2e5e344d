#include "cli/diff/json.h"

#include <algorithm>

#include "cli/diff/diff.h"
#include "cli/diff/words.h"
#include "cli/files_json.h"
#include "cli/json_text.h"
#include "core/compare/rules/rule_check.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

using compare::Change;
using compare::Outcome;

Json OutcomeJson(const Outcome& outcome) {
  Json json = {{"verdict", VerdictWord(outcome.verdict)},
               {"tested", outcome.tested},
               {"base_ns", outcome.base},
               {"head_ns", outcome.head},
               {"share", outcome.share}};
  if (!outcome.tested) return json;
  json["change_percent"] = FiniteJson(ChangePercent(outcome.estimate.effect));
  json["low_percent"] = FiniteJson(ChangePercent(outcome.interval.low));
  json["high_percent"] = FiniteJson(ChangePercent(outcome.interval.high));
  json["p"] = outcome.p;
  json["false_discovery_rate"] = outcome.rate;
  json["detectable_percent"] = FiniteJson(ChangePercent(outcome.detectable));
  return json;
}

bool IsShown(const Change& change) {
  return change.outcome.base != 0 || change.outcome.head != 0 || change.inclusive.tested;
}

Json ChangesJson(const std::vector<Change>& changes, const char* where, ListRoom& room) {
  const auto all = static_cast<size_t>(std::count_if(changes.begin(), changes.end(), IsShown));
  const size_t most = room.Keep(where, all);
  Json list = Json::array();
  for (const Change& change : changes) {
    if (list.size() == most) break;
    if (!IsShown(change)) continue;
    Json row = {{"kind", KindWord(change.part.kind, change.part.name)},
                {"name", Utf8(change.part.name)},
                {"file", Utf8(change.part.file)},
                {"line", change.part.line},
                {"module", Utf8(change.part.module)},
                {"fate", FateWord(change.fate)},
                {"was", Utf8(change.other)},
                {"moved", change.moved}};
    row.update(OutcomeJson(change.outcome));
    if (!change.part.seen_file.empty()) {
      row["seen_as"] = {{"file", Utf8(change.part.seen_file)}, {"line", change.part.seen_line}};
    }
    if (change.inclusive.tested) row["inclusive"] = OutcomeJson(change.inclusive);
    if (!change.suppressed_by.empty()) row["suppressed_by"] = Utf8(change.suppressed_by);
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

Json IdleJson(const compare::SharePoints& idle) {
  if (idle.base == 0 && idle.head == 0) return nullptr;
  Json json = {{"base_percent", 100 * idle.base}, {"head_percent", 100 * idle.head}};
  if (idle.estimate.df <= 0) return json;
  json["change_points"] = FiniteJson(100 * idle.estimate.effect);
  json["low_points"] = FiniteJson(100 * idle.interval.low);
  json["high_points"] = FiniteJson(100 * idle.interval.high);
  return json;
}

Json RulesJson(const compare::Diff& diff) {
  Json list = Json::array();
  for (const compare::RuleResult& result : diff.rules) {
    Json row = {{"rule", Utf8(result.rule)},
                {"result", RuleWord(result)},
                {"fired", result.fired},
                {"evidence", Utf8(result.evidence)},
                {"suppressed_by", Utf8(result.suppressed_by)}};
    if (result.subject == compare::RuleResult::kFinding) {
      const compare::RunFinding& finding = diff.findings.at(result.change).example;
      row["finding"] = {{"rule", Utf8(finding.rule)},
                        {"function", Utf8(finding.function)},
                        {"file", Utf8(finding.file)},
                        {"line", finding.line == 0 ? Json(nullptr) : Json(finding.line)},
                        {"saving_ns", finding.saving_ns},
                        {"share", FiniteJson(finding.share)}};
    } else if (!result.count.empty()) {
      row["count"] = Utf8(result.count);
    }
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace

Json DiffValue(const compare::Diff& diff, const std::vector<std::string>& base,
               const std::vector<std::string>& head, ListRoom& room) {
  Json counts = Json::array();
  for (const compare::CountChange& change : diff.counts) {
    const compare::Unit unit = change.per_step ? compare::Unit::kStep : compare::Unit::kRun;
    counts.push_back({{"name", Utf8(change.name)},
                      {"base", change.base},
                      {"head", change.head},
                      {"per", UnitWord(unit)}});
  }
  Json json = {{"schema", "gprof-x.diff/1"},
               {"base", TextsJson(base)},
               {"head", TextsJson(head)},
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
               {"global_percent", FiniteJson(ChangePercent(diff.global))},
               {"gpu_global_percent", FiniteJson(ChangePercent(diff.gpu_global))},
               {"functions", ChangesJson(diff.functions, "/functions", room)},
               {"kernels", ChangesJson(diff.kernels, "/kernels", room)},
               {"lines", ChangesJson(diff.lines, "/lines", room)},
               {"operators", ChangesJson(diff.operators, "/operators", room)},
               {"unit", UnitWord(diff.unit)},
               {"clock_total", OutcomeJson(diff.clock_total)},
               {"gpu_idle", IdleJson(diff.gpu_idle)},
               {"rules", RulesJson(diff)},
               {"status", DiffStatus(diff)},
               {"ruled_verdict", nullptr}};
  if (!diff.rules.empty()) json["ruled_verdict"] = VerdictWord(compare::RuledVerdict(diff));
  json["steps"] = nullptr;
  if (diff.unit == compare::Unit::kStep) {
    json["steps"] = {{"found_by", StepSourceName(diff.steps.source)},
                     {"base", diff.steps.base},
                     {"head", diff.steps.head}};
  }
  return json;
}

std::string DiffJson(const compare::Diff& diff, const DiffOptions&,
                     const DiffSurroundings& around) {
  ListRoom all;
  return PrintedJson(DiffValue(diff, around.base, around.head, all), 1);
}

}  // namespace gprofx
