#include <algorithm>

#include "cli/analyze/analyze.h"
#include "cli/analyze/cell_text.h"
#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "cli/terminal/wrap.h"
#include "core/kernels/kernel_family.h"

namespace gprofx {
namespace {

constexpr int kIndent = 4;
// Minimum number of columns of a screen on which tables show all their columns.
constexpr int kWideScreen = 100;

Column ColumnOf(const analyses::AnalysisColumn& column) {
  switch (column.unit) {
    case analyses::CellUnit::kText: {
      const std::string_view id = column.id;
      const bool layer = id == "layer" || id == "inside";
      return {column.title, Align::kLeft, 2, layer ? &FitDotted : &FitMiddle};
    }
    case analyses::CellUnit::kPath:
      return {column.title, Align::kLeft, 2, &FitPlace};
    case analyses::CellUnit::kKernel:
      return {column.title, Align::kLeft, 3, &FitMiddle};
    default:
      return {column.title, Align::kRight};
  }
}

// True if a row has a value in this column. A column without values would only take space from the
// others.
bool IsKnown(const analyses::Analysis& analysis, size_t column) {
  return std::any_of(analysis.rows.begin(), analysis.rows.end(), [&](const auto& row) {
    return !std::holds_alternative<std::monostate>(row[column]);
  });
}

std::string KernelText(const AnalysisReport& report, const analyses::AnalysisCell& cell) {
  const auto* name = std::get_if<std::string>(&cell);
  if (name == nullptr) return "";
  const auto found = report.kernel_names.find(*name);
  return Printable(found == report.kernel_names.end() ? ShortKernelName(*name) : found->second);
}

std::string TableText(const AnalysisReport& report, const analyses::Analysis& analysis,
                      const Screen& screen, const AnalysisTextOptions& options) {
  const bool roomy = options.wide || screen.columns >= kWideScreen;
  std::vector<size_t> shown;
  std::vector<Column> columns;
  for (size_t i = 0; i < analysis.columns.size(); ++i) {
    if ((!roomy && !analysis.columns[i].narrow) || !IsKnown(analysis, i)) continue;
    shown.push_back(i);
    columns.push_back(ColumnOf(analysis.columns[i]));
  }
  Table table(std::move(columns));
  const size_t rows = std::min(analysis.rows.size(), options.most_rows);
  for (size_t i = 0; i < rows; ++i) {
    std::vector<std::string> cells;
    for (const size_t column : shown) {
      const analyses::AnalysisCell& cell = analysis.rows[i][column];
      const analyses::CellUnit unit = analysis.columns[column].unit;
      cells.push_back(unit == analyses::CellUnit::kKernel && !options.wide
                          ? KernelText(report, cell)
                          : CellText(cell, unit));
    }
    table.Add(std::move(cells));
  }
  std::string out = table.Render(screen, options.wide);
  if (rows < analysis.rows.size()) {
    out += "... " + Grouped(static_cast<int64_t>(analysis.rows.size() - rows)) +
           " more; --limit N shows N rows\n";
  }
  return out;
}

std::string Lines(const std::vector<std::string>& parts, const Screen& screen, int indent) {
  return WrapParts(parts.data(), parts.size(), " ", screen.columns, indent) + "\n";
}

}  // namespace

std::string AnalysesText(const AnalysisReport& report, const Screen& screen,
                         const AnalysisTextOptions& options) {
  std::vector<std::string> head = {"across the stack of"};
  head.push_back(report.files.size() == 1
                     ? FitStart(Printable(report.files[0]), screen.columns - kIndent)
                     : std::to_string(report.files.size()) + " recordings");
  if (!report.part.empty()) {
    head.back() += ",";
    const size_t more = report.part.find(" (");
    head.push_back(report.part.substr(0, more));
    if (more != std::string::npos) head.push_back(report.part.substr(more + 1));
  }
  std::string out = Lines(head, screen, kIndent);
  if (!report.findings.empty()) out += "\n" + FindingsText(report.findings, screen, options.wide);
  for (const analyses::Analysis& analysis : report.analyses) {
    out += "\n" + WrapWords(analysis.name + "  " + analysis.title, screen.columns, 4) + "\n";
    if (!analysis.reason.empty()) {
      out += WrapWords(Printable("  empty: " + analysis.reason), screen.columns, 2) + "\n";
      continue;
    }
    for (const std::string& note : analysis.notes) {
      out += WrapWords(Printable("  " + note), screen.columns, 4) + "\n";
    }
    out += TableText(report, analysis, screen, options);
  }
  return out;
}

}  // namespace gprofx
