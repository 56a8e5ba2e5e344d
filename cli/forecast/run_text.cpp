#include <algorithm>
#include <cstdlib>

#include "cli/forecast/run.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "cli/terminal/wrap.h"
#include "core/base/format.h"

namespace gprofx {
namespace {

std::string Times(double factor) { return Format("%.2fx", factor); }

// Returns a text that says what was changed in the recording, such as ", 2x the batch, bf16".
// Returns "" if nothing was.
std::string ChangeText(const forecast::RunChange& change) {
  std::string out;
  if (change.batch != 1) out += Format(", %.4gx the batch", change.batch);
  if (change.type) out += ", " + std::string(forecast::NumberTypeWord(*change.type));
  return out;
}

// Returns the speedup on the target. If the batch size differs, it is the ratio of samples per
// second.
double Speed(const forecast::RecordedForecast& forecast, double batch) {
  return batch * static_cast<double>(forecast.now_ns) /
         static_cast<double>(std::max<int64_t>(forecast.step_ns, 1));
}

std::string LimitText(const std::string& limit) {
  if (limit == "gpu") {
    return "the GPU is the limit there: it is busy, or its operations wait for each other";
  }
  if (limit == "host") return "the host is the limit there: the GPU waits for launches";
  return "host and GPU wait for each other in turns there (sync)";
}

std::string RunText(const RecordingReport& report, const forecast::RecordedForecast& forecast) {
  std::string text =
      Grouped(forecast.steps) + (forecast.steps == 1 ? " step of " : " steps of ") + report.file;
  if (!report.part.empty()) text += ", " + report.part;
  return text + ", recorded on " + report.source;
}

std::string PartsText(const forecast::RecordedForecast& forecast, const Screen& screen) {
  const bool bare = forecast.now_ns != forecast.recorded_ns;
  Table table(
      {{"per step"}, {bare ? "here" : "recorded", Align::kRight}, {"there", Align::kRight}});
  if (bare) table.Add({"time as recorded", Duration(forecast.recorded_ns), ""});
  table.Add({"time", Duration(forecast.now_ns), Duration(forecast.step_ns)});
  table.Add({"GPU busy", Percent(forecast.busy_now, 1), Percent(forecast.busy_then, 1)});
  table.Add({"limit", forecast.limit_now, forecast.limit_then});
  for (const forecast::RunPart& part : forecast.parts) {
    table.Add({"  " + std::string(part.title), Duration(part.now_ns), Duration(part.then_ns)});
  }
  return table.Render(screen, false);
}

std::string RunsText(double runs) { return Format(runs >= 9.95 ? "%.0f" : "%.2g", runs); }

std::string SharesText(const forecast::RecordedForecast& forecast, const Screen& screen,
                       size_t most_rows) {
  Table table({{"there", Align::kRight},
               {"share", Align::kRight},
               {"recorded", Align::kRight},
               {"a step", Align::kRight},
               {"bound"},
               {"known from"},
               {"GPU work", Align::kLeft, 1, &FitMiddle}});
  const auto all = static_cast<double>(forecast.work_then_ns);
  double shown = 0;
  const size_t rows = std::min(most_rows, forecast.shares.size());
  for (size_t i = 0; i < rows; ++i) {
    const forecast::RunShare& share = forecast.shares[i];
    shown += static_cast<double>(share.then_ns);
    table.Add({Duration(share.then_ns), Percent(static_cast<double>(share.then_ns), all),
               Duration(share.now_ns), RunsText(share.runs),
               std::string(forecast::BoundWord(share.bound)),
               std::string(forecast::WorkSourceWord(share.source)), Printable(share.name)});
  }
  std::string out = table.Render(screen, false);
  if (rows < forecast.shares.size()) {
    out += "... " + std::to_string(forecast.shares.size() - rows) + " more, together " +
           Percent(std::max(all - shown, 0.0), all) + "; --limit N shows more\n";
  }
  return out;
}

std::string LevelsText(const std::vector<forecast::RunLevel>& rows, const std::string& what,
                       const forecast::RecordedForecast& forecast, const Screen& screen,
                       size_t most_rows) {
  if (rows.empty()) return "no GPU work belongs to a known " + what + "\n";
  Table table({{"there", Align::kRight},
               {"share", Align::kRight},
               {"recorded", Align::kRight},
               {what, Align::kLeft, 1, &FitMiddle}});
  const auto all = static_cast<double>(forecast.work_then_ns);
  const size_t shown = std::min(most_rows, rows.size());
  for (size_t i = 0; i < shown; ++i) {
    const forecast::RunLevel& row = rows[i];
    table.Add({Duration(row.then_ns), Percent(static_cast<double>(row.then_ns), all),
               Duration(row.now_ns),
               row.name.empty() ? "(in no " + what + ")" : Printable(row.name)});
  }
  std::string out = table.Render(screen, false);
  if (shown < rows.size())
    out += "... " + std::to_string(rows.size() - shown) + " more; --limit N shows more\n";
  return out;
}

std::string SaidText(const std::vector<std::string>& assumed,
                     const std::vector<forecast::RunUntold>& untold, const Screen& screen) {
  std::string out;
  for (const forecast::RunUntold& row : untold) {
    out +=
        WrapLine("not modelled, " + Percent(row.share, 1) + " of the GPU's time there: " + row.what,
                 screen.columns, 2);
  }
  for (const std::string& text : assumed) out += WrapLine("assumed: " + text, screen.columns, 2);
  return out;
}

// Returns the main result in one line, or in two if the screen is too narrow.
std::string Headline(const RecordingReport& report, const Screen& screen) {
  const RunTarget& target = report.targets[0];
  const forecast::RecordedForecast& forecast = target.forecast;
  const std::string step = Printable(target.device.name) + ChangeText(report.change) + ": " +
                           Duration(forecast.step_ns) + " a step";
  const std::string range = "  (80 % between " + Duration(forecast.low_ns) + " and " +
                            Duration(forecast.high_ns) + "), " +
                            Times(Speed(forecast, report.change.batch)) +
                            (report.change.batch != 1 ? " the samples a second" : "");
  const bool fits = Columns(step) + Columns(range) <= screen.columns;
  return Paint(screen, Ink::kBold, step) + (fits ? "" : "\n") + range + "\n";
}

std::string OneTarget(const RecordingReport& report, const std::string& by, const Screen& screen,
                      size_t most_rows) {
  const RunTarget& target = report.targets[0];
  const forecast::RecordedForecast& forecast = target.forecast;
  std::string out = Headline(report, screen);
  out += WrapLine("  " + RunText(report, forecast), screen.columns, 2);
  out += WrapLine("  " + LimitText(forecast.limit_then), screen.columns, 2);
  if (const std::optional<double> dollars = DollarsPerStep(target, report.gpus)) {
    out += WrapLine("  " + Dollars(*dollars) + " a step", screen.columns, 2);
  }
  out += "\n" + PartsText(forecast, screen) + "\n";
  if (by == "layer") {
    out += LevelsText(target.layers, by, forecast, screen, most_rows);
  } else if (by == "operator") {
    out += LevelsText(target.operators, by, forecast, screen, most_rows);
  } else {
    out += SharesText(forecast, screen, most_rows);
  }
  const std::string said = SaidText(forecast.assumed, forecast.untold, screen);
  return said.empty() ? out : out + "\n" + said;
}

// Returns the text of the assumptions and the unmodelled work of all devices. An entry that several
// devices share appears only once.
std::string SaidOfAll(const RecordingReport& report, const Screen& screen) {
  std::vector<std::string> said;
  for (const RunTarget& target : report.targets) {
    for (const std::string& text : target.forecast.assumed) {
      if (std::find(said.begin(), said.end(), text) == said.end()) said.push_back(text);
    }
  }
  std::string out = SaidText(said, {}, screen);
  // List each unmodelled work once, with the shares of the devices. Most often all devices have the
  // same one.
  std::vector<std::pair<std::string, std::string>> untold;
  for (const RunTarget& target : report.targets) {
    for (const forecast::RunUntold& row : target.forecast.untold) {
      auto same = std::find_if(untold.begin(), untold.end(),
                               [&](const auto& one) { return one.first == row.what; });
      if (same == untold.end()) same = untold.insert(untold.end(), {row.what, ""});
      same->second +=
          (same->second.empty() ? "" : ", ") + Percent(row.share, 1) + " on " + target.device.name;
    }
  }
  for (const auto& [what, shares] : untold) {
    out += WrapLine("not modelled, of the GPU's time " + shares + ": " + what, screen.columns, 2);
  }
  return out;
}

std::string Comparison(const RecordingReport& report, const Screen& screen) {
  const bool prices = std::any_of(report.targets.begin(), report.targets.end(),
                                  [](const RunTarget& target) { return target.dollars_per_hour; });
  std::vector<Column> columns = {{"device"},
                                 {"step", Align::kRight},
                                 {"80 % from", Align::kRight},
                                 {"to", Align::kRight},
                                 {"speed", Align::kRight},
                                 {"GPU busy", Align::kRight},
                                 {"limit"}};
  if (prices) columns.push_back({"$ a step", Align::kRight});
  Table table(std::move(columns));
  const forecast::RecordedForecast& first = report.targets[0].forecast;
  const char* name = first.now_ns == first.recorded_ns ? "as recorded" : "here, without recording";
  std::vector<std::string> cells = {
      name, Duration(first.now_ns), "", "", "1.00x", Percent(first.busy_now, 1), first.limit_now};
  if (prices) cells.push_back("");
  table.Add(std::move(cells));
  for (const RunTarget& target : report.targets) {
    const forecast::RecordedForecast& forecast = target.forecast;
    cells = {Printable(target.device.name),
             Duration(forecast.step_ns),
             Duration(forecast.low_ns),
             Duration(forecast.high_ns),
             Times(Speed(forecast, report.change.batch)),
             Percent(forecast.busy_then, 1),
             forecast.limit_then};
    if (prices) {
      const std::optional<double> dollars = DollarsPerStep(target, report.gpus);
      cells.push_back(dollars ? Dollars(*dollars) : "-");
    }
    table.Add(std::move(cells));
  }
  std::string out = WrapLine(RunText(report, first) + ChangeText(report.change), screen.columns, 2);
  if (report.change.batch != 1) out += WrapLine("speed is that of samples", screen.columns, 2);
  out += "\n" + table.Render(screen, false);
  const std::string said = SaidOfAll(report, screen);
  return said.empty() ? out : out + "\n" + said;
}

}  // namespace

std::string RunForecastText(const RecordingReport& report, const std::string& by,
                            const Screen& screen, size_t most_rows) {
  return report.targets.size() == 1 ? OneTarget(report, by, screen, most_rows)
                                    : Comparison(report, screen);
}

}  // namespace gprofx
