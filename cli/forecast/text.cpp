#include <algorithm>
#include <cmath>

#include "cli/forecast/forecast.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"

namespace gprofx {
namespace {

std::string Time(double ms) { return Duration(std::llround(ms * 1e6)); }

std::string Share(double part, double whole) { return Percent(part, whole); }

std::string PlanText(const forecast::GraphPlan& plan) {
  std::string text = plan.training ? "training" : "inference";
  const auto count = [](int number, const char* what) {
    return ", " + std::to_string(number) + " " + what;
  };
  if (plan.layers > 1) text += count(plan.layers, "layers");
  if (plan.batch > 0) text += ", batch " + std::to_string(std::llround(plan.batch));
  if (plan.fused) text += ", fused";
  if (plan.data > 1) text += count(plan.data, "copies");
  if (plan.tensor > 1) text += ", tensors over " + std::to_string(plan.tensor) + " GPUs";
  if (plan.pipeline > 1) text += count(plan.pipeline, "stages");
  if (plan.microbatches > 1) text += count(plan.microbatches, "microbatches");
  return text;
}

// Returns the shares of kernel time by what limits the kernels: "compute 82.1%, memory 17.5%,
// launch 0.4%".
std::string BoundText(const forecast::GraphForecast& forecast) {
  const double all = forecast.bound_ms[0] + forecast.bound_ms[1] + forecast.bound_ms[2];
  return "compute " + Share(forecast.bound_ms[2], all) + ", memory " +
         Share(forecast.bound_ms[1], all) + ", launch " + Share(forecast.bound_ms[0], all);
}

std::string Lines(const std::string& head, const std::vector<std::string>& notes,
                  const Screen& screen) {
  std::string out;
  for (const std::string& note : notes) {
    std::vector<std::string> words;
    for (size_t at = 0; at < note.size();) {
      const size_t end = std::min(note.find(' ', at), note.size());
      words.push_back(Printable(note.substr(at, end - at)));
      at = end + 1;
    }
    if (words.empty()) continue;
    words[0] = head + words[0];
    out +=
        WrapParts(words.data(), words.size(), " ", screen.columns, static_cast<int>(head.size())) +
        "\n";
  }
  return out;
}

std::string NodesText(const ForecastReport& report, const Screen& screen, size_t most_rows) {
  const forecast::GraphForecast& forecast = report.devices[0].forecast;
  Table table({{"time", Align::kRight},
               {"share", Align::kRight},
               {"bound"},
               {"kind", Align::kLeft, 0},
               {"node", Align::kLeft, 1, &FitMiddle}});
  double all = 0, shown = 0;
  for (const forecast::NodeShare& node : forecast.nodes) all += node.ms;
  const size_t rows = std::min(most_rows, forecast.nodes.size());
  for (size_t i = 0; i < rows; ++i) {
    const forecast::NodeShare& node = forecast.nodes[i];
    shown += node.ms;
    table.Add({Time(node.ms), Share(node.ms, all), std::string(forecast::BoundWord(node.bound)),
               FitEnd(Printable(node.kind), 14), Printable(node.name)});
  }
  std::string out = "\n" + table.Render(screen, false);
  if (rows < forecast.nodes.size()) {
    out += "... " + std::to_string(forecast.nodes.size() - rows) + " more nodes, together " +
           Share(all - shown, all) + "; --limit N shows more\n";
  }
  return out;
}

std::string FamiliesText(const forecast::GraphForecast& forecast) {
  std::string text;
  double all = 0;
  for (const forecast::FamilyShare& family : forecast.families) all += family.ms;
  for (const forecast::FamilyShare& family : forecast.families) {
    text += (text.empty() ? "" : ", ") + std::string(WorkFamilyWord(family.family)) + " " +
            Share(family.ms, all);
  }
  return text;
}

std::string OneDevice(const ForecastReport& report, const Screen& screen, size_t most_rows) {
  const DeviceForecast& device = report.devices[0];
  const forecast::GraphForecast& forecast = device.forecast;
  std::string out = Paint(screen, Ink::kBold,
                          Printable(device.device.name) + ": " + Time(forecast.ms) + " a step") +
                    "  (80 % between " + Time(forecast.low_ms) + " and " + Time(forecast.high_ms) +
                    ")\n";
  std::vector<std::string> facts = {PlanText(report.plan) + " of " + report.model};
  if (report.plan.training) {
    facts.push_back("forward " + Time(forecast.forward_ms) + ", backward " +
                    Time(forecast.backward_ms + forecast.accumulate_ms));
  }
  facts.push_back(Grouped(static_cast<int64_t>(forecast.kernels)) + " kernels, limited by " +
                  BoundText(forecast));
  facts.push_back("by family: " + FamiliesText(forecast));
  if (forecast.communication_ms > 0) {
    facts.push_back("communication " + Time(forecast.communication_ms) + " (" +
                    Share(forecast.communication_ms, forecast.ms) + ")");
  }
  if (forecast.bubble_ms > 0) {
    facts.push_back("the pipeline is idle for " + Time(forecast.bubble_ms) + " (" +
                    Share(forecast.bubble_ms, forecast.ms) + ")");
  }
  if (device.dollars_per_hour) {
    facts.push_back(Dollars(DollarsPerStep(forecast.ms, *device.dollars_per_hour, report.plan)) +
                    " a step");
  }
  return out + Lines("  ", facts, screen) + NodesText(report, screen, most_rows);
}

std::string Comparison(const ForecastReport& report, const Screen& screen) {
  const bool prices = std::any_of(report.devices.begin(), report.devices.end(),
                                  [](const auto& device) { return device.dollars_per_hour; });
  std::vector<Column> columns = {{"device"},
                                 {"step", Align::kRight},
                                 {"80 % from", Align::kRight},
                                 {"to", Align::kRight},
                                 {"speed", Align::kRight},
                                 {"compute", Align::kRight},
                                 {"memory", Align::kRight},
                                 {"launch", Align::kRight}};
  if (prices) columns.push_back({"$ a step", Align::kRight});
  Table table(std::move(columns));
  const double first = report.devices[0].forecast.ms;
  for (const DeviceForecast& device : report.devices) {
    const forecast::GraphForecast& forecast = device.forecast;
    const double all = forecast.bound_ms[0] + forecast.bound_ms[1] + forecast.bound_ms[2];
    std::vector<std::string> cells = {Printable(device.device.name),
                                      Time(forecast.ms),
                                      Time(forecast.low_ms),
                                      Time(forecast.high_ms),
                                      Format("%.2fx", first / forecast.ms),
                                      Share(forecast.bound_ms[2], all),
                                      Share(forecast.bound_ms[1], all),
                                      Share(forecast.bound_ms[0], all)};
    if (prices) {
      cells.push_back(
          device.dollars_per_hour
              ? Dollars(DollarsPerStep(forecast.ms, *device.dollars_per_hour, report.plan))
              : "-");
    }
    table.Add(std::move(cells));
  }
  return Paint(screen, Ink::kBold, Printable(report.model)) + "\n  " + PlanText(report.plan) +
         "\n\n" + table.Render(screen, false);
}

// Returns each note once, with the names of its devices.
std::vector<std::string> DeviceNotes(const ForecastReport& report) {
  // Each note, and the names of its devices.
  std::vector<std::pair<std::string, std::string>> notes;
  for (const DeviceForecast& device : report.devices) {
    for (const std::string& note : device.forecast.notes) {
      auto known = std::find_if(notes.begin(), notes.end(),
                                [&note](const auto& one) { return one.first == note; });
      if (known == notes.end()) known = notes.insert(notes.end(), {note, ""});
      known->second += (known->second.empty() ? "" : ", ") + device.device.name;
    }
  }
  std::vector<std::string> out;
  for (const auto& [note, devices] : notes) out.push_back(devices + ": " + note);
  return out;
}

}  // namespace

std::string ForecastText(const ForecastReport& report, const Screen& screen, size_t most_rows) {
  std::string out = report.devices.size() == 1 ? OneDevice(report, screen, most_rows)
                                               : Comparison(report, screen);
  std::vector<std::string> notes = DeviceNotes(report);
  const forecast::GraphForecast& forecast = report.devices[0].forecast;
  if (!forecast.unknown.empty()) {
    std::string note = std::to_string(forecast.unknown.size()) + " nodes (" +
                       Share(forecast.unknown_share, 1) +
                       " of those that compute) are of no known kind and count nothing:";
    for (size_t i = 0; i < forecast.unknown.size() && i < 5; ++i) {
      note += (i > 0 ? ", " : " ") + forecast.unknown[i];
    }
    notes.push_back(note + (forecast.unknown.size() > 5 ? ", ..." : ""));
  }
  if (!notes.empty()) out += "\n" + Lines("note: ", notes, screen);
  return out;
}

// In the table file, a comma stands for a blank, because its words cannot contain blanks.
std::string AccuracyName(const forecast::AccuracyRow& row) {
  std::string name = row.group;
  std::replace(name.begin(), name.end(), ',', ' ');
  return name;
}

std::string AccuracyText(const forecast::ForecastTable& table, const Screen& screen) {
  Table rows({{"what"},
              {"left out"},
              {"cases", Align::kRight},
              {"error", Align::kRight},
              {"NeuSight", Align::kRight},
              {"roofline", Align::kRight}});
  for (const forecast::AccuracyRow& row : table.accuracy) {
    const auto percent = [](const std::string& text) { return text == "-" ? text : text + "%"; };
    rows.Add({AccuracyName(row), row.device, row.cases, percent(row.error), percent(row.reference),
              percent(row.roofline)});
  }
  return Paint(screen, Ink::kBold, "Mean error on GPUs that were left out of the fit") + "\n\n" +
         rows.Render(screen, false);
}

std::string DevicesText(const std::vector<forecast::Device>& devices, const Screen& screen) {
  Table table({{"device"},
               {"SMs", Align::kRight},
               {"FP32", Align::kRight},
               {"BF16", Align::kRight},
               {"GB/s", Align::kRight},
               {"L2 MB", Align::kRight},
               {"watt", Align::kRight},
               {"FP32 held", Align::kRight},
               {"GB/s held", Align::kRight},
               {"held rates"}});
  const auto number = [](double value) {
    return value > 0 ? Format(value >= 100 ? "%.0f" : "%.3g", value) : "-";
  };
  for (const forecast::Device& device : devices) {
    const forecast::SustainedRate gemm =
        forecast::SustainedGemm(device, forecast::NumberType::kFp32);
    const forecast::SustainedRate copy = forecast::SustainedCopy(device);
    table.Add({Printable(device.name), number(device.sms), number(device.fp32), number(device.bf16),
               number(device.bandwidth), number(device.l2_mb), number(device.watt),
               number(gemm.value / 1e12), number(copy.value / 1e9),
               gemm.measured && copy.measured ? "measured" : "estimated"});
  }
  return table.Render(screen, false);
}

}  // namespace gprofx
