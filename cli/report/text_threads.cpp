#include <algorithm>

#include "cli/report/number.h"
#include "cli/report/text.h"
#include "cli/report/thread_rows.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/arithmetic.h"

namespace gprofx {
namespace {

constexpr size_t kUsualRows = 40;

std::string ShareOf(int64_t part, int64_t whole) {
  return Percent(static_cast<double>(part), static_cast<double>(whole));
}

std::string RowName(const ThreadRow& row) {
  const std::string name = Printable(row.name.empty() ? "(no name)" : row.name);
  return (row.is_process ? "" : "  ") + name;
}

std::vector<Column> ThreadColumns(const Analysis& analysis, const ThreadTable& table) {
  std::vector<Column> columns = {{"self", Align::kRight},
                                 {ShareTitle(analysis), Align::kRight},
                                 {"CPU clock", Align::kRight},
                                 {"lost", Align::kRight}};
  if (table.has_gil) {
    columns.push_back({"GIL held", Align::kRight});
    columns.push_back({"no GIL", Align::kRight});
  }
  columns.push_back({"pid/tid", Align::kRight});
  columns.push_back({"process, thread", Align::kLeft, 1});
  return columns;
}

std::string Explain(const ThreadTable& table, int columns) {
  std::vector<std::string> parts = {"CPU clock = measured by the thread's own clock;",
                                    table.has_gil ? "lost = part of it that was not sampled;"
                                                  : "lost = part of it that was not sampled"};
  if (table.has_gil) parts.push_back("GIL = part of the sampled CPU time");
  return WrapParts(parts.data(), parts.size(), " ", columns, 2) + "\n";
}

}  // namespace

std::string ThreadsText(const Analysis& analysis) {
  const ThreadTable table = ThreadRows(analysis);
  if (table.rows.empty()) return "(no thread in this profile)\n";
  const size_t shown = std::min(table.rows.size(), Limit(analysis, kUsualRows));
  Table text(ThreadColumns(analysis, table));
  for (size_t i = 0; i < shown; ++i) {
    const ThreadRow& row = table.rows[i];
    std::vector<std::string> cells = {Amount(row.self, analysis.metric.unit),
                                      OfBase(analysis, row.self), Duration(row.cpu_ns),
                                      ShareOf(row.lost_ns, row.cpu_ns)};
    if (table.has_gil) {
      const int64_t known = AddSaturated(row.cpu_gil, row.cpu_nogil);
      cells.push_back(ShareOf(row.cpu_gil, known));
      cells.push_back(ShareOf(row.cpu_nogil, known));
    }
    cells.push_back(std::to_string(row.id));
    cells.push_back(RowName(row));
    text.Add(std::move(cells));
  }
  std::string out = "processes and their threads; " + ShareTitle(analysis) + " = share of " +
                    BaseText(analysis) + "\n";
  out += text.Render(analysis.around.screen, analysis.options.wide);
  if (shown < table.rows.size()) {
    int64_t together = 0;
    for (size_t i = shown; i < table.rows.size(); ++i) {
      if (table.rows[i].is_process && !table.only_processes) continue;
      together = AddSaturated(together, table.rows[i].self);
    }
    out += "... " + Grouped(static_cast<int64_t>(table.rows.size() - shown)) + " more, together " +
           OfBase(analysis, together) + " of " + BaseText(analysis) + "; --limit " +
           std::to_string(table.rows.size()) + " shows them\n";
  }
  return out + Explain(table, analysis.around.screen.columns);
}

}  // namespace gprofx
