#include "cli/forecast/run_tables.h"

#include "cli/report/number.h"

namespace gprofx {
namespace {

std::vector<std::string> NotesOf(const forecast::RecordedForecast& forecast) {
  std::vector<std::string> notes;
  for (const forecast::RunUntold& row : forecast.untold) {
    notes.push_back("not modelled, " + Percent(row.share, 1) +
                    " of the GPU's time there: " + row.what);
  }
  for (const std::string& text : forecast.assumed) notes.push_back("assumed: " + text);
  return notes;
}

analyses::Analysis StepTable(const RecordingReport& report, const RunTarget& target) {
  const forecast::RecordedForecast& forecast = target.forecast;
  analyses::Analysis table;
  table.name = target.device.name;
  table.id = "forecast_step";
  table.title = Duration(forecast.step_ns) + " a step, 80 % between " + Duration(forecast.low_ns) +
                " and " + Duration(forecast.high_ns) + "; on " + report.source + " it takes " +
                Duration(forecast.now_ns);
  table.columns = {{"part", "a step is made of", analyses::CellUnit::kText},
                   {"here_ns", "here", analyses::CellUnit::kNs},
                   {"there_ns", "there", analyses::CellUnit::kNs}};
  table.rows.push_back({std::string("step"), forecast.now_ns, forecast.step_ns});
  for (const forecast::RunPart& part : forecast.parts) {
    table.rows.push_back({std::string(part.title), part.now_ns, part.then_ns});
  }
  table.notes = NotesOf(forecast);
  return table;
}

void AddLevels(const RunTarget& target, const std::vector<forecast::RunLevel>& rows,
               const char* what, const char* id, std::vector<analyses::Analysis>& tables) {
  if (rows.empty()) return;
  analyses::Analysis table;
  table.name = target.device.name;
  table.id = std::string("forecast_") + id;
  table.title = "GPU work of a step by " + std::string(what);
  table.columns = {{what, what, analyses::CellUnit::kText},
                   {"here_ns", "here", analyses::CellUnit::kNs},
                   {"there_ns", "there", analyses::CellUnit::kNs}};
  for (const forecast::RunLevel& row : rows) {
    table.rows.push_back({row.name.empty() ? "(in no " + std::string(what) + ")" : row.name,
                          row.now_ns, row.then_ns});
  }
  tables.push_back(std::move(table));
}

analyses::Analysis KernelTable(const RunTarget& target) {
  analyses::Analysis table;
  table.name = target.device.name;
  table.id = "forecast_kernels";
  table.title = "kernels and copies of a step";
  table.columns = {{"name", "GPU work", analyses::CellUnit::kKernel},
                   {"here_ns", "here", analyses::CellUnit::kNs},
                   {"there_ns", "there", analyses::CellUnit::kNs},
                   {"runs", "a step", analyses::CellUnit::kNumber},
                   {"bound", "limited by", analyses::CellUnit::kText},
                   {"told_by", "known from", analyses::CellUnit::kText}};
  for (const forecast::RunShare& share : target.forecast.shares) {
    table.rows.push_back({share.name, share.now_ns, share.then_ns, share.runs,
                          std::string(BoundWord(share.bound)),
                          std::string(WorkSourceWord(share.source))});
  }
  if (table.rows.empty()) table.reason = "the steps contain no GPU work";
  return table;
}

}  // namespace

std::vector<analyses::Analysis> RunForecastTables(const RecordingReport& report) {
  std::vector<analyses::Analysis> tables;
  for (const RunTarget& target : report.targets) {
    tables.push_back(StepTable(report, target));
    AddLevels(target, target.layers, "layer", "layers", tables);
    AddLevels(target, target.operators, "operator", "operators", tables);
    tables.push_back(KernelTable(target));
  }
  return tables;
}

}  // namespace gprofx
