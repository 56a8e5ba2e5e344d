#include <cstdlib>

#include "cli/analyze/findings.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "cli/terminal/wrap.h"

namespace gprofx {
namespace {

std::string IdOf(size_t i) { return "F" + std::to_string(i + 1); }

std::string PlaceText(const findings::Inefficiency& row) {
  if (row.file.empty()) return row.function.empty() ? "the whole run" : Printable(row.function);
  return Printable(row.file + (row.line == 0 ? "" : ":" + std::to_string(row.line)));
}

// Returns a text with the number and the mean length of the analyzed steps: "based on 6 steps of
// 178 ms each".
std::string StepsText(const findings::FindingReport& report) {
  constexpr int64_t kClearly = 20;  // clearly shorter: by more than a twentieth
  const std::string length = Duration(report.step_ns);
  if (report.steps == 0) return "no steps were found; based on " + length;
  std::string text = "based on " + Grouped(report.steps);
  text += report.steps == 1 ? " step of " + length : " steps of " + length + " each";
  if (report.host_step_ns < report.step_ns - report.step_ns / kClearly) {
    text += " (" + Duration(report.host_step_ns) + " on the host, which runs ahead of the GPU)";
  }
  return text;
}

std::string WarmUpText(const findings::WarmUpLeftOut& warm_up) {
  return "the first " + Grouped(warm_up.steps) + " steps, of " + Duration(warm_up.step_ns) +
         " each and " + Percent(warm_up.share, 1) +
         " of the time of all steps, are left out as warm-up; --phase warmup shows them";
}

std::string RowsText(const findings::FindingReport& report, const Screen& screen, bool wide) {
  Table table({{"id"},
               {"saves", Align::kRight},
               {"share", Align::kRight},
               {"rule"},
               {"place", Align::kLeft, 1, &FitPlace}});
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const findings::Inefficiency& row = report.rows[i];
    table.Add(
        {IdOf(i), Duration(row.saving_ns), Percent(row.share, 1), row.rule->id, PlaceText(row)});
  }
  std::string out = table.Render(screen, wide);
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const findings::Inefficiency& row = report.rows[i];
    out += WrapLine(
        IdOf(i) + "  " + row.summary + (row.evidence.empty() ? "" : ": " + row.evidence[0]) + ".",
        screen.columns, 4);
  }
  return out;
}

}  // namespace

std::string FindingsHeadText(const findings::FindingReport& report) {
  if (report.rows.empty()) {
    return report.reason.empty() ? "none: nothing was found that would save 1% of a step"
                                 : "none: " + report.reason;
  }
  int64_t saving = 0;
  for (const findings::Inefficiency& row : report.rows) saving += row.saving_ns;
  std::string text = StepsText(report);
  if (Duration(report.step_ns) != Duration(report.recorded_step_ns)) {
    text += " (" + Duration(report.recorded_step_ns) + " with the cost of recording)";
  }
  return text + "; the GPU is idle for " + Duration(report.idle_ns) +
         (report.steps > 0 ? " per step" : "") +
         (report.has_collectives ? "; savings are of this process alone, together "
                                 : "; savings are upper bounds, together ") +
         Duration(saving);
}

std::string SavingText(const findings::Inefficiency& row, const findings::FindingReport& report) {
  return (report.has_collectives ? "" : "at most ") + Duration(row.saving_ns) +
         (report.steps > 0 ? " a step, " : " in all, ") + Percent(row.share, 1);
}

std::string FindingsText(const std::vector<FileFindings>& runs, const Screen& screen, bool wide) {
  std::string out;
  for (const FileFindings& run : runs) {
    if (!out.empty()) out += "\n";
    const std::string of = runs.size() > 1 ? " in " + run.file : "";
    out += WrapLine("findings" + of, screen.columns, 4);
    out += WrapLine("  " + FindingsHeadText(run.report), screen.columns, 4);
    if (run.report.warm_up.steps > 0) {
      out += WrapLine("  " + WarmUpText(run.report.warm_up), screen.columns, 4);
    }
    if (run.report.rows.empty()) continue;
    out += RowsText(run.report, screen, wide);
    out += WrapLine("--explain F1 shows how the saving was computed and what to change",
                    screen.columns, 4);
  }
  return out;
}

Result<std::string> ExplainText(const FileFindings& run, const std::string& id,
                                const Screen& screen) {
  const std::vector<findings::Inefficiency>& rows = run.report.rows;
  size_t at = 0;
  while (at < rows.size() && id != IdOf(at) && id != "f" + std::to_string(at + 1)) ++at;
  if (at == rows.size()) {
    if (rows.empty()) {
      return Error{ErrorId::kNotFound, "there is no finding " + id,
                   run.report.reason.empty() ? "nothing was found" : run.report.reason};
    }
    return Error{ErrorId::kNotFound, "there is no finding " + id,
                 "the findings are F1 to " + IdOf(rows.size() - 1)};
  }
  const findings::Inefficiency& row = rows[at];
  std::string out =
      WrapLine(IdOf(at) + "  " + row.rule->id + ": " + row.rule->title, screen.columns, 4);
  out += WrapLine("place     " + PlaceText(row) +
                      (row.function.empty() || row.file.empty() ? "" : " in " + row.function),
                  screen.columns, 10);
  out +=
      WrapLine("saves     " + SavingText(row, run.report) + " of " + Duration(run.report.step_ns),
               screen.columns, 10);
  out += WrapLine("what      " + row.summary + ".", screen.columns, 10);
  for (size_t i = 0; i < row.evidence.size(); ++i) {
    out += WrapLine((i == 0 ? "evidence  " : "          ") + row.evidence[i], screen.columns, 12);
  }
  out += WrapLine(
      "computed  " + row.computed +
          " A saving that an earlier rule already counts is not counted again. Clock changes are "
          "not modelled: a GPU that works all the time may run its kernels more slowly than one "
          "that rests." +
          (run.report.has_collectives ? " Other ranks are not modelled: collectives take as long "
                                        "as recorded, and all ranks together may save more."
                                      : ""),
      screen.columns, 10);
  out += WrapLine(std::string("change    ") + row.rule->advice, screen.columns, 10);
  return out;
}

std::string RulesText(const Screen& screen) {
  std::string out = "Rules of findings, in the order in which their savings are counted:\n";
  for (const findings::FindingRule& rule : findings::FindingRules()) {
    std::string id = "  " + std::string(rule.id);
    id.resize(25, ' ');
    out += WrapLine(id + rule.title, screen.columns, 25);
  }
  out += "Not detected, and why:\n";
  for (const findings::RuleLeftOut& rule : findings::RulesLeftOut()) {
    out += WrapLine("  " + std::string(rule.title) + ": " + rule.reason, screen.columns, 4);
  }
  return out;
}

}  // namespace gprofx
