#include "cli/diff/aa.h"

#include <unistd.h>

#include <cmath>

#include "cli/command.h"
#include "cli/diff/sides.h"
#include "cli/diff/words.h"
#include "cli/json_text.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

using compare::Aa;
using compare::AaPart;

std::string Number(size_t count) { return Grouped(static_cast<int64_t>(count)); }

std::string RateText(double rate) { return Percent(rate, 1); }

std::string Lines(const std::vector<std::string>& parts, const DiffSurroundings& around) {
  return WrapParts(parts.data(), parts.size(), " ", around.screen.columns, 2) + "\n";
}

std::string PartsText(const std::vector<AaPart>& parts, const Aa& aa, const DiffOptions& options,
                      const DiffSurroundings& around) {
  if (parts.empty()) return "";
  Table table({{"smallest detectable", Align::kRight},
               {"share", Align::kRight},
               {"false alarms", Align::kRight},
               {"kind"},
               {"name", Align::kLeft, 1, &ShortenName}});
  for (size_t i = 0; i < parts.size() && i < options.limit; ++i) {
    const AaPart& part = parts[i];
    table.Add({ChangeText(part.detectable), Percent(part.share, 1),
               Number(part.alarms) + " of " + Number(aa.splits),
               std::string(KindWord(part.part.kind, part.part.name)), Printable(part.part.name)});
  }
  std::string text = table.Render(around.screen, options.wide);
  if (parts.size() > options.limit) {
    text += "... " + Number(parts.size() - options.limit) + " more; --limit " +
            std::to_string(parts.size()) + " shows them\n";
  }
  return text;
}

std::string KindText(const Aa& aa, bool paired, const DiffOptions& options,
                     const DiffSurroundings& around) {
  std::string text =
      Lines({std::string(paired ? "in pairs" : "as groups") + ", " + Number(aa.base_runs) + " + " +
                 Number(aa.head_runs) + " runs:",
             Number(aa.regressions) + " of " + Number(aa.splits) +
                 (aa.all ? " splits" : " random splits") + " are called a regression,",
             RateText(static_cast<double>(aa.regressions) / static_cast<double>(aa.splits)) +
                 " false alarms (95% interval " + RateText(aa.rate.low) + " to " +
                 RateText(aa.rate.high) + ");",
             Number(aa.improvements) + " an improvement;",
             "the smallest detectable change of the whole run is " + ChangeText(aa.detectable)},
            around);
  text += PartsText(aa.kernels, aa, options, around);
  return text + PartsText(aa.functions, aa, options, around) + "\n";
}

Json PartsJson(const std::vector<AaPart>& parts) {
  Json list = Json::array();
  for (const AaPart& part : parts) {
    list.push_back({{"kind", KindWord(part.part.kind, part.part.name)},
                    {"name", Utf8(part.part.name)},
                    {"file", Utf8(part.part.file)},
                    {"line", part.part.line},
                    {"module", Utf8(part.part.module)},
                    {"share", part.share},
                    {"false_alarms", part.alarms},
                    {"detectable_percent", FiniteJson(ChangePercent(part.detectable))}});
  }
  return list;
}

std::string AaJson(const AaAnswer& answer, const DiffSurroundings& around) {
  Json kinds = Json::array(), obstacles = Json::array();
  for (const compare::Obstacle& one : answer.obstacles)
    obstacles.push_back(Utf8(ObstacleText(one)));
  for (size_t i = 0; i < answer.kinds.size(); ++i) {
    const Aa& aa = answer.kinds[i];
    kinds.push_back({{"paired", static_cast<bool>(answer.paired[i])},
                     {"base_runs", aa.base_runs},
                     {"head_runs", aa.head_runs},
                     {"splits", aa.splits},
                     {"all_splits", aa.all},
                     {"false_alarms", aa.regressions},
                     {"false_improvements", aa.improvements},
                     {"false_alarm_rate", static_cast<double>(aa.regressions) /
                                              static_cast<double>(std::max<size_t>(aa.splits, 1))},
                     {"rate_low", aa.rate.low},
                     {"rate_high", aa.rate.high},
                     {"detectable_percent", FiniteJson(ChangePercent(aa.detectable))},
                     {"functions", PartsJson(aa.functions)},
                     {"kernels", PartsJson(aa.kernels)}});
  }
  const Json json = {{"schema", "gprof-x.diff.aa/1"},
                     {"files", TextsJson(around.base)},
                     {"obstacles", std::move(obstacles)},
                     {"splits", std::move(kinds)}};
  return PrintedJson(json, 1);
}

}  // namespace

AaAnswer MeasureAaOf(const std::vector<compare::Run>& runs, const compare::Settings& settings) {
  AaAnswer answer;
  // Find what prevents comparing the runs with each other. For that, any split into two sides will
  // do.
  const std::span<const compare::Run> all(runs);
  answer.obstacles =
      compare::CompareRuns(all.first(runs.size() / 2), all.subspan(runs.size() / 2), settings)
          .obstacles;
  if (!answer.obstacles.empty() || runs.size() < compare::kMinAaRuns) return answer;
  for (const bool paired : {true, false}) {
    if (paired && !settings.paired) continue;
    compare::Settings used = settings;
    used.paired = paired;
    answer.kinds.push_back(compare::MeasureAa(runs, used));
    answer.paired.push_back(paired);
  }
  return answer;
}

std::string RenderAa(const AaAnswer& answer, const DiffOptions& options,
                     const DiffSurroundings& around) {
  if (options.json) return AaJson(answer, around);
  std::string text =
      Lines({Paint(around.screen, Ink::kBold, "gprof-x diff --aa:"),
             Number(around.base.size()) + " runs of one version, split against one another"},
            around);
  for (const compare::Obstacle& one : answer.obstacles) {
    text += Lines(
        {"inconclusive:", "these recordings cannot be compared;", Printable(ObstacleText(one))},
        around);
  }
  if (!answer.obstacles.empty()) return text;
  text += "\n";
  for (size_t i = 0; i < answer.kinds.size(); ++i) {
    text += KindText(answer.kinds[i], answer.paired[i], options, around);
  }
  return text + Lines({"splits share their runs,", "so the true interval is wider;",
                       "more runs of each side can detect smaller changes"},
                      around);
}

int RunAa(const DiffCommand& command) {
  const Result<std::vector<compare::Run>> runs = ReadRuns(command.base, command.code);
  if (!runs) return Fail(kDiffCommand, runs.error());
  if (runs->size() < compare::kMinAaRuns) {
    return Fail(kDiffCommand,
                {ErrorId::kTooFewRuns,
                 "option '--aa' needs " + std::to_string(compare::kMinAaRuns) +
                     " or more runs of one version, not " + std::to_string(runs->size()),
                 "record more: ten runs make five pairs"});
  }
  const AaAnswer answer = MeasureAaOf(*runs, command.options.settings);
  const DiffSurroundings around{DetectScreen(STDOUT_FILENO, command.color), command.base, {}};
  const int printed = Print(kDiffCommand, RenderAa(answer, command.options, around), "the answer");
  return printed != 0 ? printed : answer.obstacles.empty() ? 0 : 3;
}

}  // namespace gprofx
