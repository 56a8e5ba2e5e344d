#include "cli/report/number.h"
#include "cli/report/text/text.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/arithmetic.h"

namespace gprofx {
namespace {

std::string RowName(const ThreadRow& row) {
  const std::string name = Printable(row.name.empty() ? "(no name)" : row.name);
  return (row.is_process ? "" : "  ") + name;
}

std::vector<Column> ThreadColumns(const Page& page, const ThreadTable& table) {
  std::vector<Column> columns = {{"self", Align::kRight},
                                 {ShareTitle(page), Align::kRight},
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

std::string Explain(const Page& page, const ThreadTable& table) {
  std::vector<std::string> parts = {"CPU clock = measured by the thread's own clock;",
                                    table.has_gil ? "lost = part of it that was not sampled;"
                                                  : "lost = part of it that was not sampled"};
  if (table.has_gil) parts.push_back("GIL = part of the sampled CPU time");
  if (page.view.profile.part) {
    parts.back() += ";";
    parts.push_back("CPU clock and lost are of the whole recording");
  }
  return Wrapped(page, parts, 2);
}

}  // namespace

std::string ThreadsText(const Page& page) {
  const ThreadTable& table = *page.view.threads;
  if (table.rows.empty()) return "(no thread in this profile)\n";
  Table text(ThreadColumns(page, table));
  for (size_t i = 0; i < table.shown; ++i) {
    const ThreadRow& row = table.rows[i];
    std::vector<std::string> cells = {Amount(row.self, page.view.metric.unit),
                                      OfBase(page, row.self), Duration(row.cpu_ns),
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
  std::string out =
      "processes and their threads; " + ShareTitle(page) + " = share of " + BaseText(page) + "\n";
  out += text.Render(page.around.screen, page.wide);
  if (table.rest.rows > 0) {
    out += "... " + Grouped(static_cast<int64_t>(table.rest.rows)) + " more, together " +
           OfBase(page, table.rest.together) + " of " + BaseText(page) + "; --limit " +
           std::to_string(table.rows.size()) + " shows them\n";
  }
  return out + Explain(page, table);
}

}  // namespace gprofx
