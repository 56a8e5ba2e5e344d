#include "cli/analyze/json.h"

namespace gprofx {
namespace {

const char* UnitName(analyses::CellUnit unit) {
  switch (unit) {
    case analyses::CellUnit::kText:
    case analyses::CellUnit::kPath:
    case analyses::CellUnit::kKernel:
      return "text";
    case analyses::CellUnit::kCount:
      return "count";
    case analyses::CellUnit::kNs:
      return "ns";
    case analyses::CellUnit::kShare:
      return "share";
    case analyses::CellUnit::kBytes:
      return "bytes";
    case analyses::CellUnit::kFlop:
      return "flop";
    case analyses::CellUnit::kFlopPerSecond:
      return "flop/s";
    case analyses::CellUnit::kBytesPerSecond:
      return "bytes/s";
    case analyses::CellUnit::kNumber:
      break;
  }
  return "number";
}

Json CellJson(const analyses::AnalysisCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return Utf8(*text);
  if (const auto* whole = std::get_if<int64_t>(&cell)) return *whole;
  if (const auto* number = std::get_if<double>(&cell)) return FiniteJson(*number);
  return nullptr;
}

Json AnalysisJson(const analyses::Analysis& analysis) {
  Json columns = Json::array(), rows = Json::array();
  for (const analyses::AnalysisColumn& column : analysis.columns) {
    columns.push_back(
        {{"id", column.id}, {"title", column.title}, {"unit", UnitName(column.unit)}});
  }
  for (const std::vector<analyses::AnalysisCell>& cells : analysis.rows) {
    Json row = Json::object();
    for (size_t i = 0; i < cells.size(); ++i) row[analysis.columns[i].id] = CellJson(cells[i]);
    rows.push_back(std::move(row));
  }
  return {{"name", analysis.name},
          {"id", analysis.id},
          {"title", analysis.title},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)},
          {"reason", analysis.reason.empty() ? Json(nullptr) : Json(Utf8(analysis.reason))},
          {"notes", TextsJson(analysis.notes)},
          {"degraded", analysis.degraded}};
}

}  // namespace

Json AnalysesValue(const AnalysisReport& report) {
  Json list = Json::array();
  for (const analyses::Analysis& analysis : report.analyses) list.push_back(AnalysisJson(analysis));
  return {{"schema", "gprof-x.analyze/1"},
          {"files", TextsJson(report.files)},
          {"part", report.part.empty() ? Json(nullptr) : Json(Utf8(report.part))},
          {"analyses", std::move(list)},
          {"findings", report.findings.empty() ? Json(nullptr) : FindingsJson(report.findings)}};
}

std::string AnalysesJson(const AnalysisReport& report) {
  return PrintedJson(AnalysesValue(report), 2);
}

}  // namespace gprofx
