
#include "cli/analyze/analyze.h"
#include "cli/terminal/text.h"
#include "core/base/csv_field.h"
#include "core/base/format.h"

namespace gprofx {
namespace {

// Returns a cell as CSV. Removes control characters from names, because the CSV may be printed on a
// terminal.
std::string CellCsv(const analyses::AnalysisCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return CsvField(Printable(*text));
  if (const auto* whole = std::get_if<int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&cell)) {
    return Format("%.9g", *number);
  }
  return "";
}

}  // namespace

std::string AnalysesCsv(const AnalysisReport& report) {
  std::string out;
  for (const analyses::Analysis& analysis : report.analyses) {
    if (analysis.rows.empty()) continue;
    if (!out.empty()) out += "\n";
    out += "analysis,row";
    for (const analyses::AnalysisColumn& column : analysis.columns)
      out += "," + std::string(column.id);
    out += "\n";
    for (size_t i = 0; i < analysis.rows.size(); ++i) {
      out += analysis.name + "," + std::to_string(i + 1);
      for (const analyses::AnalysisCell& cell : analysis.rows[i]) out += "," + CellCsv(cell);
      out += "\n";
    }
  }
  return out;
}

}  // namespace gprofx
