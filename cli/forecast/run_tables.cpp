#include "cli/forecast/run_tables.h"

#include "cli/report/number.h"

namespace gprofx {
namespace {

std::vector<std::string> NotesOf(const RecordedForecast& forecast) {
  std::vector<std::string> notes;
  for (const RunUntold& row : forecast.untold) {
    notes.push_back("not modelled, " + Percent(row.share, 1) +
                    " of the GPU's time there: " + row.what);
  }
  for (const std::string& text : forecast.assumed) notes.push_back("assumed: " + text);
  return notes;
}

Analysis StepTable(const RecordingReport& report, const RunTarget& target) {
  const RecordedForecast& forecast = target.forecast;
  Analysis table;
  table.name = target.device.name;
  table.id = "forecast_step";
  table.title = Duration(forecast.step_ns) + " a step, 80 % between " + Duration(forecast.low_ns) +
                " and " + Duration(forecast.high_ns) + "; on " + report.source + " it takes " +
                Duration(forecast.now_ns);
  table.columns = {{"part", "a step is made of", CellUnit::kText},
                   {"here_ns", "here", CellUnit::kNs},
                   {"there_ns", "there", CellUnit::kNs}};
  table.rows.push_back({std::string("step"), forecast.now_ns, forecast.step_ns});
  for (const RunPart& part : forecast.parts) {
    table.rows.push_back({std::string(part.title), part.now_ns, part.then_ns});
  }
  table.notes = NotesOf(forecast);
  return table;
}

void AddLevels(const RunTarget& target, const std::vector<RunLevel>& rows, const char* what,
               const char* id, std::vector<Analysis>& tables) {
  if (rows.empty()) return;
  Analysis table;
  table.name = target.device.name;
  table.id = std::string("forecast_") + id;
  table.title = "GPU work of a step by " + std::string(what);
  table.columns = {{what, what, CellUnit::kText},
                   {"here_ns", "here", CellUnit::kNs},
                   {"there_ns", "there", CellUnit::kNs}};
  for (const RunLevel& row : rows) {
    table.rows.push_back({row.name.empty() ? "(in no " + std::string(what) + ")" : row.name,
                          row.now_ns, row.then_ns});
  }
  tables.push_back(std::move(table));
}

Analysis KernelTable(const RunTarget& target) {
  Analysis table;
  table.name = target.device.name;
  table.id = "forecast_kernels";
  table.title = "kernels and copies of a step";
  table.columns = {{"name", "GPU work", CellUnit::kKernel},   {"here_ns", "here", CellUnit::kNs},
                   {"there_ns", "there", CellUnit::kNs},      {"runs", "a step", CellUnit::kNumber},
                   {"bound", "limited by", CellUnit::kText},
                   {"told_by", "told by", CellUnit::kText}};
  for (const RunShare& share : target.forecast.shares) {
    table.rows.push_back({share.name, share.now_ns, share.then_ns, share.runs,
                          std::string(BoundWord(share.bound)),
                          std::string(WorkSourceWord(share.source))});
  }
  if (table.rows.empty()) table.reason = "no work of a GPU is in the steps";
  return table;
}

}  // namespace

std::vector<Analysis> RunForecastTables(const RecordingReport& report) {
  std::vector<Analysis> tables;
  for (const RunTarget& target : report.targets) {
    tables.push_back(StepTable(report, target));
    AddLevels(target, target.layers, "layer", "layers", tables);
    AddLevels(target, target.operators, "operator", "operators", tables);
    tables.push_back(KernelTable(target));
  }
  return tables;
}

}  // namespace gprofx
