#include <algorithm>
#include <set>

#include "cli/diff/outputs/formats.h"
#include "cli/diff/outputs/notices.h"
#include "cli/diff/outputs/place.h"
#include "cli/diff/words.h"
#include "cli/json_text.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"
#include "core/compare/rules/rule_check.h"

namespace gprofx {
namespace {

constexpr int kLongestLabel = 300;

const char* SeverityOf(const Notice& notice) {
  const bool is_warning = notice.level == NoticeLevel::kWarning;
  if (is_warning) return notice.rule == "inconclusive" ? "info" : "minor";
  return notice.name.empty() ? "critical" : "major";
}

class Metrics {
 public:
  void Head(const char* name, const char* help, const char* unit = nullptr) {
    name_ = name;
    out_ += "# TYPE " + name_ + " gauge\n";
    if (unit != nullptr) out_ += "# UNIT " + name_ + " " + unit + "\n";
    out_ += "# HELP " + name_ + " " + help + "\n";
  }
  // Adds a value of the current metric. `labels` are name="value" pairs, separated by commas;
  // MetricLabel() makes the values.
  void Value(const std::string& labels, double value) {
    out_ += name_ + "{" + labels + "} " + Format("%.15g", value) + "\n";
  }
  std::string Finish() { return out_ + "# EOF\n"; }

 private:
  std::string name_, out_;
};

}  // namespace

std::string MetricLabel(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string NoticesGitlab(const std::vector<Notice>& notices, const OutputPlace& place) {
  Json list = Json::array();
  for (const Notice& notice : notices) {
    if (!notice.suppressed_by.empty()) continue;
    const SourcePlace source = PlaceOf(notice, place);
    const std::string& file = source.is_ours ? source.path : place.fallback;
    const uint32_t line = source.is_ours ? source.line : 0;
    list.push_back(
        {{"description", notice.text},
         {"check_name", notice.rule},
         {"fingerprint", Fingerprint(notice)},
         {"severity", SeverityOf(notice)},
         {"location", {{"path", Utf8(file)}, {"lines", {{"begin", std::max(line, 1u)}}}}}});
  }
  return PrintedJson(list, 1);
}

std::string DiffGitlab(const compare::Diff& diff, const DiffOptions& options,
                       const OutputPlace& place) {
  return NoticesGitlab(NoticesOf(diff, options.settings), place);
}

std::string DiffMetrics(const compare::Diff& diff) {
  Metrics metrics;
  const bool steps = diff.unit == compare::Unit::kStep;
  metrics.Head("gprofx_total_ns",
               steps ? "Time of the whole per step, mean over the runs of a side."
                     : "Time of the whole per run, mean over the runs of a side.",
               "ns");
  const auto sides = [&](const char* what, const compare::Outcome& total) {
    const std::string clock = std::string("clock=\"") + what + "\",side=\"";
    metrics.Value(clock + "base\"", total.base);
    metrics.Value(clock + "head\"", total.head);
  };
  const std::string clock = MetricLabel(diff.metric.empty() ? "cpu" : diff.metric);
  if (steps) sides("step", diff.total);
  sides(clock.c_str(), diff.clock_total);
  if (!diff.kernels.empty()) sides("gpu", diff.gpu_total);
  const auto verdicts = [&](const char* name, const char* help, compare::Verdict found) {
    metrics.Head(name, help);
    for (const auto verdict : {compare::Verdict::kRegression, compare::Verdict::kImprovement,
                               compare::Verdict::kEquivalent, compare::Verdict::kInconclusive}) {
      metrics.Value(std::string("verdict=\"") + VerdictWord(verdict) + "\"",
                    found == verdict ? 1 : 0);
    }
  };
  verdicts("gprofx_verdict", "1 for the verdict of the comparison.", diff.verdict);
  if (!diff.rules.empty()) {
    verdicts("gprofx_ruled_verdict", "1 for the verdict of the rules.",
             compare::RuledVerdict(diff));
  }
  if (!diff.counts.empty()) {
    metrics.Head("gprofx_count", steps ? "Counts that differ, per step or run as `per` says."
                                       : "Counts that differ, per run.");
  }
  std::set<std::string> told;
  for (const compare::CountChange& change : diff.counts) {
    // Shorten the name in the middle, because the names of one kernel's launches differ at the end.
    const std::string text = FitMiddle(Printable(change.name), kLongestLabel);
    std::string name = "name=\"" + MetricLabel(text) + "\",";
    if (steps) name += std::string("per=\"") + (change.per_step ? "step" : "run") + "\",";
    if (!told.insert(name).second) continue;
    metrics.Value(name + "side=\"base\"", static_cast<double>(change.base));
    metrics.Value(name + "side=\"head\"", static_cast<double>(change.head));
  }
  return metrics.Finish();
}

}  // namespace gprofx
