#include <cstdio>

#include "cli/analyze/analyze.h"

namespace gprofx {
namespace {

// As RFC 4180 says. A text that a spreadsheet would take for a formula gets a blank before it.
std::string Quoted(const std::string& text) {
  constexpr std::string_view kFormula = "=+-@\t\r";
  const bool formula = !text.empty() && kFormula.find(text[0]) != std::string_view::npos;
  if (!formula && text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = formula ? "\" " : "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += c;
  }
  return out + "\"";
}

std::string CellCsv(const AnalysisCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return Quoted(*text);
  if (const auto* whole = std::get_if<int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&cell)) {
    char text[40];
    snprintf(text, sizeof text, "%.9g", *number);
    return text;
  }
  return "";
}

}  // namespace

std::string AnalysesCsv(const AnalysisReport& report) {
  std::string out;
  for (const Analysis& analysis : report.analyses) {
    if (analysis.rows.empty()) continue;
    if (!out.empty()) out += "\n";
    out += "analysis,row";
    for (const AnalysisColumn& column : analysis.columns) out += "," + std::string(column.id);
    out += "\n";
    for (size_t i = 0; i < analysis.rows.size(); ++i) {
      out += analysis.name + "," + std::to_string(i + 1);
      for (const AnalysisCell& cell : analysis.rows[i]) out += "," + CellCsv(cell);
      out += "\n";
    }
  }
  return out;
}

}  // namespace gprofx
