// Makes the data of a comparison's page in the form that diff_app.js reads.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "cli/diff/html/page.h"
#include "cli/diff/outputs/notices.h"
#include "cli/diff/words.h"
#include "cli/json_text.h"
#include "cli/report/html/page_text.h"
#include "cli/terminal/shorten.h"
#include "core/compare/rules/rule_check.h"

namespace gprofx {
namespace {

using compare::Change;
using compare::Diff;
using compare::Outcome;
using compare::TreeDiff;
using compare::Verdict;

constexpr int kShort = 80, kLongestName = 600;
// Maximum number of rows in each table, and of file names.
constexpr size_t kMaxRows = 1'000, kMaxFiles = 200;

// Returns an outcome as JSON. If the recordings cannot be compared, it says "not tested" for all
// outcomes.
Json OutcomeJson(const Diff& diff, const Outcome& outcome) {
  return {{"tested", outcome.tested && diff.obstacles.empty()},
          {"verdict", VerdictWord(outcome.verdict)},
          {"base", FiniteJson(outcome.base)},
          {"head", FiniteJson(outcome.head)},
          {"share", FiniteJson(outcome.share)},
          {"change", FiniteJson(ChangePercent(outcome.estimate.effect))},
          {"low", FiniteJson(ChangePercent(outcome.interval.low))},
          {"high", FiniteJson(ChangePercent(outcome.interval.high))}};
}

class Writer {
 public:
  Writer(const Diff& diff, const DiffOptions& options, const DiffSurroundings& around,
         const TreeDiff& tree)
      : diff_(diff), options_(options), around_(around), tree_(tree) {}

  PageData Write() {
    for (size_t i = 0; i < tree_.keys.size(); ++i) site_of_.emplace(tree_.keys[i], i);
    Json json = {{"schema", "gprof-x.diffpage/1"},
                 {"version", GPROFX_VERSION},
                 {"verdict", VerdictWord(diff_.verdict)},
                 {"ruled", RuledText(diff_)},
                 {"unit", UnitText(diff_)},
                 {"paired", diff_.paired && diff_.base_runs > 1},
                 {"base", FilesJson(around_.base)},
                 {"head", FilesJson(around_.head)},
                 {"runs", {diff_.base_runs, diff_.head_runs}},
                 {"notices", NoticesJson()},
                 {"power", diff_.obstacles.empty() ? PowerText(diff_, options_.settings) : ""},
                 {"notes", NotesJson()},
                 {"totals", TotalsJson()},
                 {"metrics", MetricsJson()},
                 {"functions", ChangesJson(diff_.functions)},
                 {"kernels", ChangesJson(diff_.kernels)},
                 {"counts", CountsJson()},
                 {"counts_equal", diff_.counts_equal},
                 {"counts_varying", diff_.counts_varying},
                 {"rules", RulesJson()},
                 {"left_out_nodes", tree_.left_out}};
    const auto own = [](const compare::Part& part) -> const compare::Part& { return part; };
    AddLabels("site", tree_.functions, own, &Short, texts_, columns_);
    columns_.AddDeltas("node.parent", tree_.nodes, [](const auto& node) { return node.parent; });
    columns_.Add("node.site", tree_.nodes, [](const auto& node) { return node.function; });
    json["texts"] = std::move(texts_.list());
    json["columns"] = columns_.directory();
    return {json.dump(-1, ' ', false, Json::error_handler_t::replace), columns_.bytes()};
  }

 private:
  static std::string Short(const compare::Part& part) {
    const std::string name = PageText(part.name, kLongestName);
    if (part.kind == FrameKind::kGpuKernel) return ShortenKernel(name, kShort);
    return part.kind == FrameKind::kPython ? name : ShortenName(name, kShort);
  }

  static Json FilesJson(const std::vector<std::string>& files) {
    Json list = Json::array();
    for (const std::string& file : files) {
      if (list.size() == kMaxFiles) break;
      list.push_back(PageText(file));
    }
    return list;
  }

  Json NoticesJson() const {
    Json list = Json::array();
    for (const Notice& notice : NoticesOf(diff_, options_.settings)) {
      if (notice.rule == "regression-total") continue;  // shown in the header
      if (list.size() == 3) break;                      // the tables show the others
      list.push_back(notice.text);
    }
    return list;
  }

  Json NotesJson() const {
    Json list = Json::array();
    for (const compare::Obstacle& note : diff_.differences) {
      list.push_back(PageText(ObstacleText(note)));
    }
    return list;
  }

  Json TotalsJson() const {
    Json list = Json::array();
    const auto add = [&](const char* what, const Outcome& outcome) {
      Json row = OutcomeJson(diff_, outcome);
      row["what"] = what;
      list.push_back(std::move(row));
    };
    add(TotalText(diff_), diff_.total);
    if (!diff_.kernels.empty()) add("GPU time", diff_.gpu_total);
    return list;
  }

  // Returns the number by which to divide the sums over all runs of a side. That is the side's
  // number of calls, steps or runs, depending on what times are per. The harness measured how long
  // a call takes, so the number of calls that the samples cover follows from their time. At least
  // 1, except for calls.
  double UnitsOf(compare::Side side) const {
    const bool is_base = side == compare::Side::kBase;
    if (diff_.unit == compare::Unit::kCall) {
      const auto& self = tree_.metrics.front().self[static_cast<size_t>(side)];
      const double all = std::accumulate(self.begin(), self.end(), 0.0);
      const double of_call = is_base ? diff_.clock_total.base : diff_.clock_total.head;
      return all > 0 && of_call > 0 ? all / of_call : 1;
    }
    const std::vector<int64_t>& steps = is_base ? diff_.steps.base : diff_.steps.head;
    const int64_t runs = static_cast<int64_t>(is_base ? diff_.base_runs : diff_.head_runs);
    const int64_t units = diff_.unit == compare::Unit::kStep
                              ? std::accumulate(steps.begin(), steps.end(), int64_t{0})
                              : runs;
    return static_cast<double>(std::max<int64_t>(units, 1));
  }

  Json MetricsJson() {
    Json list = Json::array();
    for (size_t i = 0; i < tree_.metrics.size(); ++i) {
      const TreeDiff::Metric& metric = tree_.metrics[i];
      const std::string name = "value" + std::to_string(list.size());
      const auto is_zero = [](int64_t value) { return value == 0; };
      const bool is_empty = std::all_of(std::begin(metric.self), std::end(metric.self),
                                        [&](const std::vector<int64_t>& self) {
                                          return std::all_of(self.begin(), self.end(), is_zero);
                                        });
      if (is_empty && i > 0) continue;
      columns_.Add((name + ".base").c_str(), metric.self[0], [](int64_t self) { return self; });
      columns_.Add((name + ".head").c_str(), metric.self[1], [](int64_t self) { return self; });
      list.push_back({{"name", i == 0 ? ClockText(diff_) : "GPU time"},
                      {"base_units", UnitsOf(compare::Side::kBase)},
                      {"head_units", UnitsOf(compare::Side::kHead)}});
    }
    return list;
  }

  Json ChangesJson(const std::vector<Change>& changes) {
    Json list = Json::array();
    for (const Change& change : changes) {
      if (list.size() == kMaxRows) break;
      if (!IsToldOf(change, options_.settings)) continue;
      const compare::Part& part = change.part;
      Json row = OutcomeJson(diff_, change.outcome);
      const auto site = site_of_.find(KeyOfChange(change));
      row["site"] = site == site_of_.end() ? Json(nullptr) : Json(site->second);
      row["name"] = texts_.Of(part.name);
      row["short"] = texts_.Of(Short(part));
      row["file"] = texts_.Of(part.file);
      row["line"] = part.line;
      row["kind"] = static_cast<int>(part.kind);
      row["word"] = texts_.Of(KindWord(part.kind, part.name));
      row["fate"] = FateWord(change.fate);
      row["was"] = texts_.Of(change.other);
      row["moved"] = change.moved;
      row["suppressed_by"] = texts_.Of(change.suppressed_by);
      row["inclusive"] = OutcomeJson(diff_, change.inclusive);
      list.push_back(std::move(row));
    }
    return list;
  }

  Json CountsJson() const {
    Json list = Json::array();
    for (const compare::CountChange& change : diff_.counts) {
      if (list.size() == kMaxRows) break;
      list.push_back({{"name", PageText(change.name)},
                      {"base", change.base},
                      {"head", change.head},
                      {"per", CountUnitText(change)}});
    }
    return list;
  }

  // Counts are not converted to calls. The steps of a benchmark's run are its batches.
  const char* CountUnitText(const compare::CountChange& change) const {
    if (!change.per_step || around_.of_whole_runs) return "run";
    return diff_.unit == compare::Unit::kCall ? "batch" : "step";
  }

  Json RulesJson() const {
    Json list = Json::array();
    for (const compare::RuleResult& result : diff_.rules) {
      if (list.size() == kMaxRows) break;
      list.push_back({{"rule", PageText(result.rule)},
                      {"word", RuleWord(result)},
                      {"evidence", PageText(result.evidence)},
                      {"suppressed_by", PageText(result.suppressed_by)}});
    }
    return list;
  }

  const Diff& diff_;
  const DiffOptions& options_;
  const DiffSurroundings& around_;
  const TreeDiff& tree_;
  std::unordered_map<std::string, size_t> site_of_;  // by key
  PageTexts texts_{kLongestName};
  PackedColumns columns_;
};

}  // namespace

PageData DiffPageData(const Diff& diff, const DiffOptions& options, const DiffSurroundings& around,
                      const TreeDiff& tree) {
  return Writer(diff, options, around, tree).Write();
}

}  // namespace gprofx
