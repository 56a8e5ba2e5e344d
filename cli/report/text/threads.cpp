#include <algorithm>

#include "cli/report/number.h"
#include "cli/report/text/text.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

// Returns the name of a row: that of a single thread, or a text such as "27 threads of OpenBLAS".
std::string WhoText(const ThreadRow& row) {
  if (row.threads == 1) {
    const std::string name = row.name.empty() ? "(no name)" : row.name;
    return row.arguments.empty() ? name : name + " " + row.arguments;
  }
  const std::string count = Grouped(static_cast<int64_t>(row.threads)) + " threads";
  if (!row.pool.empty()) return count + " of " + row.pool;
  return row.self == 0 ? count + ", no sample" : count;
}

// Returns the function in which a thread waits. Returns "" if the thread works.
std::string WaitsIn(const ThreadRow& row) {
  return !row.is_process && row.quiet && row.waits ? Printable(row.waits_in) : "";
}

bool HasFolded(const ThreadTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const ThreadRow& row) { return row.threads > 1; });
}

// True if the screen is narrow. The column "no GIL", which completes the others to 100 %, is then
// left out. The names get its space.
bool IsNarrow(const Page& page) {
  constexpr int kNarrow = 100;
  return !page.wide && page.around.screen.columns < kNarrow;
}

bool ShowsNoGil(const Page& page, const ThreadTable& table) {
  return table.has_gil && !IsNarrow(page);
}

std::vector<Column> ThreadColumns(const Page& page, const ThreadTable& table) {
  std::vector<Column> columns = {{"self", Align::kRight},
                                 {ShareTitle(page), Align::kRight},
                                 {"CPU clock", Align::kRight},
                                 {"lost", Align::kRight}};
  if (table.has_gil) columns.push_back({IsNarrow(page) ? "GIL" : "GIL held", Align::kRight});
  if (ShowsNoGil(page, table)) columns.push_back({"no GIL", Align::kRight});
  columns.push_back({"pid/tid", Align::kRight});
  columns.push_back({"process, thread", Align::kLeft, 1});
  return columns;
}

std::string Explain(const Page& page, const ThreadTable& table) {
  std::vector<std::string> parts = {"CPU clock = measured by the thread's own clock",
                                    "lost = part of it that was not sampled"};
  if (table.has_gil) parts.push_back("GIL = part of the sampled CPU time");
  const bool has_own = std::any_of(table.rows.begin(), table.rows.end(),
                                   [](const ThreadRow& row) { return row.is_own; });
  if (has_own) parts.push_back("gprofx-gpu = a thread of gprof-x itself");
  if (page.view.profile.part) parts.push_back("CPU clock and lost are of the whole recording");
  if (HasFolded(table)) parts.push_back("--all-frames shows each thread that only waits");
  for (size_t i = 0; i + 1 < parts.size(); ++i) parts[i] += ";";
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
      if (ShowsNoGil(page, table)) cells.push_back(ShareOf(row.cpu_nogil, known));
    }
    cells.push_back(row.threads == 1 ? std::to_string(row.id) : "");
    const std::string who = (row.is_process ? "" : "  ") + Printable(WhoText(row));
    const std::string waits = WaitsIn(row);
    const bool own_line = IsNarrow(page) && !waits.empty();
    cells.push_back(who + (own_line || waits.empty() ? "" : ", waiting in " + waits));
    const size_t columns = cells.size();
    text.Add(std::move(cells));
    if (!own_line) continue;
    std::vector<std::string> below(columns);
    below.back() = "   wait: " + waits;
    text.Add(std::move(below));
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
