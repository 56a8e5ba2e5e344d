#include "cli/ci/per_test/html/page.h"

#include <algorithm>
#include <cmath>

#include "cli/ci/history.h"
#include "cli/ci/history_text.h"
#include "cli/ci/per_test/faces.h"
#include "cli/diff/html/page.h"
#include "cli/diff/words.h"
#include "cli/json_text.h"
#include "cli/report/html/assets.h"
#include "cli/report/html/page_text.h"
#include "cli/report/number.h"
#include "cli/report/text/hints.h"
#include "core/base/path.h"

namespace gprofx {
namespace {

constexpr int kLongestBenchmark = 500, kLongestNote = 1'000;
constexpr size_t kMaxComparisonBytes = 20'000'000;  // of all comparisons together
constexpr size_t kMaxPlotted = 200;                 // versions in a plot; the newest ones

// Returns the time with four significant digits, which is enough for a plot.
Json PlottedNs(double ns) {
  if (!std::isfinite(ns) || ns <= 0) return nullptr;
  const double unit = std::pow(10, std::floor(std::log10(ns)) - 3);
  return FiniteJson(std::round(ns / unit) * unit);
}

// Finds the changes in the history of the job's benchmarks.
std::map<std::string, HistorySeries> SeriesOf(const PerTestResult& result,
                                              const BenchmarkHistory* history) {
  std::vector<HistorySeries> all;
  for (const BenchmarkResult& one : result.benchmarks) {
    if (history == nullptr) break;
    const auto found = history->ns.find(Utf8(one.name));
    if (found == history->ns.end()) continue;
    all.push_back({one.name, kBenchmark, 1, found->second, {}});
  }
  FindChanges(all);
  std::map<std::string, HistorySeries> by_name;
  for (HistorySeries& series : all) by_name.emplace(series.name, std::move(series));
  return by_name;
}

size_t FirstPlotted(const BenchmarkHistory& history) {
  return history.versions.size() - std::min(history.versions.size(), kMaxPlotted);
}

// Returns "in V", or "between V and W" if the versions between them were not measured.
std::string PlaceOf(const BenchmarkHistory& history, const HistorySeries& series, size_t at) {
  const size_t before = MeasuredBefore(series, at);
  const bool gap = before + 1 < at;
  return PageText((gap ? "" : "in ") + ChangePlace(VersionText(history.versions[before]),
                                                   VersionText(history.versions[at]), gap),
                  kLongestBenchmark);
}

Json HistoryJson(const BenchmarkHistory& history, const HistorySeries& series) {
  const size_t first = FirstPlotted(history);
  Json ns = Json::array(), changes = Json::array();
  bool is_measured = false;
  for (size_t i = first; i < series.ns.size(); ++i) {
    ns.push_back(PlottedNs(series.ns[i]));
    is_measured = is_measured || !ns.back().is_null();
  }
  if (!is_measured) return nullptr;
  for (const compare::ChangePoint& point : series.changes) {
    if (point.at < first) continue;
    changes.push_back({{"at", point.at - first},
                       {"place", PlaceOf(history, series, point.at)},
                       {"change", ChangeText(point.after - point.before)}});
  }
  return {{"ns", std::move(ns)}, {"changes", std::move(changes)}};
}

bool IsChanged(const BenchmarkResult& one) {
  return one.verdict == BenchmarkVerdict::kSlower || one.verdict == BenchmarkVerdict::kFaster;
}

Json ReasonsJson(const BenchmarkResult& one) {
  Json reasons = Json::array();
  if (!one.note.empty()) reasons.push_back(PageText(one.note, kLongestNote));
  for (const std::string& reason : ReasonsOf(one))
    reasons.push_back(PageText(reason, kLongestNote));
  if (IsChanged(one) && !one.diff && !one.base.empty() && !one.head.empty()) {
    const std::string base = ShellQuoted(FolderOf(one.base.front()));
    const std::string head = ShellQuoted(FolderOf(one.head.front()));
    if (!base.empty() && !head.empty()) {  // they can be pasted
      reasons.push_back(PageText("the flame graph: gprof-x diff --html FILE " + base + " " + head));
    }
  }
  return reasons;
}

Json RowJson(const BenchmarkResult& one, size_t page) {
  const bool times = HasTimes(one);
  return {{"name", PageText(one.name, kLongestBenchmark)},
          {"verdict", VerdictText(one.verdict)},
          {"change", times ? ChangeText(one.estimate.effect) : ""},
          {"interval", IntervalText(one)},
          {"base", times ? ShortTimeText(one.base_ns) : ""},
          {"head", times ? ShortTimeText(one.head_ns) : ""},
          {"head_ns", times ? PlottedNs(one.head_ns) : Json(nullptr)},
          {"rounds", std::to_string(one.rounds)},
          {"reasons", ReasonsJson(one)},
          {"page", page},
          {"history", nullptr}};
}

Json NotesJson(const CiRun& run, const PerTestResult& result, const BenchmarkHistory* history) {
  Json notes = Json::array();
  for (const std::string& note : JobNotes(result)) notes.push_back(note);
  if (const std::string note = HistoryNote(run, result, history); !note.empty()) {
    notes.push_back(PageText(note, kLongestNote));
  }
  notes.push_back(PageText("profiles are in " + run.output + "/tests"));
  return notes;
}

// Appends the data of the comparison to `elements`. The number of comparisons is `count`.
Status AddComparison(const CiRun& run, const BenchmarkResult& one, size_t page, size_t count,
                     std::string& elements) {
  DiffSurroundings around{{}, one.base, one.head};
  around.of_whole_runs = !one.diff_of_steps;
  const Result<std::string> element =
      DiffDataElement("data-" + std::to_string(page), *one.diff, run.diff.options, around,
                      kMaxComparisonBytes / count);
  if (!element) return element.error();
  elements += *element;
  return Ok();
}

}  // namespace

std::string HistoryNote(const CiRun& run, const PerTestResult& result,
                        const BenchmarkHistory* history) {
  const bool is_known =
      history == nullptr ||
      std::any_of(result.benchmarks.begin(), result.benchmarks.end(),
                  [&](const BenchmarkResult& one) { return history->ns.contains(Utf8(one.name)); });
  return is_known ? "" : "the history '" + run.history + "' has no benchmark of this job";
}

Result<std::string> PerTestPage(const CiRun& run, const PerTestResult& result,
                                const BenchmarkHistory* history) {
  const std::map<std::string, HistorySeries> series = SeriesOf(result, history);
  const auto count = static_cast<size_t>(
      std::count_if(result.benchmarks.begin(), result.benchmarks.end(),
                    [](const BenchmarkResult& one) { return one.diff.has_value(); }));
  Json rows = Json::array();
  std::string body(kBenchmarksBody);
  size_t pages = 0;
  for (const BenchmarkResult* one : BySeverity(result)) {
    const size_t page = one->diff ? ++pages : 0;
    Json row = RowJson(*one, page);
    const auto found = series.find(one->name);
    if (found != series.end()) row["history"] = HistoryJson(*history, found->second);
    rows.push_back(std::move(row));
    if (page == 0) continue;
    if (const Status added = AddComparison(run, *one, page, count, body); !added) {
      return added.error();
    }
  }
  const Json json = {{"schema", "gprof-x.benchmarkspage/1"},
                     {"columns", Json::object()},
                     {"headline", PerTestHeadline(result)},
                     {"status", PerTestStatus(result, run.ignore_failures)},
                     {"facts", BenchmarksText(result) + ", base and head in turns, " +
                                   Duration(static_cast<int64_t>(result.seconds * 1e9))},
                     {"notes", NotesJson(run, result, history)},
                     {"has_history", history != nullptr},
                     {"benchmarks", std::move(rows)}};
  return MakeDocument(body, kBenchmarksScript,
                      {json.dump(-1, ' ', false, Json::error_handler_t::replace), ""});
}

}  // namespace gprofx
