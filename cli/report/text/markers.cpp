#include "cli/report/number.h"
#include "cli/report/text/text.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

std::string TimeOrNothing(int64_t ns) { return ns == 0 ? "" : Duration(ns); }

}  // namespace

std::string MarkersText(const Page& page) {
  const MarkerTable& markers = *page.view.markers;
  if (markers.rows.empty()) {
    return "(the program names no ranges; NVTX ranges and profiler steps are recorded)\n";
  }
  std::vector<Column> columns = {{"count", Align::kRight},
                                 {"total", Align::kRight},
                                 {"mean", Align::kRight},
                                 {"max", Align::kRight}};
  if (markers.has_cpu) columns.push_back({"CPU", Align::kRight});
  if (markers.has_gpu) columns.push_back({"GPU", Align::kRight});
  columns.push_back({"range", Align::kLeft, 3});
  if (markers.has_domains) columns.push_back({"domain", Align::kLeft, 1});
  Table table(std::move(columns));
  for (size_t i = 0; i < markers.shown; ++i) {
    const MarkerSum& row = markers.rows[i];
    std::vector<std::string> cells = {Grouped(row.count)};
    for (const int64_t ns : {row.total_ns, row.mean_ns, row.largest_ns}) {
      cells.push_back(TimeOrNothing(ns));
    }
    if (markers.has_cpu) cells.push_back(TimeOrNothing(row.cpu_ns));
    if (markers.has_gpu) cells.push_back(TimeOrNothing(row.gpu_ns));
    cells.push_back(Printable(row.name));
    if (markers.has_domains) cells.push_back(Printable(row.domain));
    table.Add(std::move(cells));
  }
  std::vector<std::string> head = {"top " + Grouped(static_cast<int64_t>(markers.shown)) + " of " +
                                   Grouped(static_cast<int64_t>(markers.rows.size())) +
                                   " names of ranges by total time"};
  const auto explain = [&](const char* text) {
    head.back() += ";";
    head.emplace_back(text);
  };
  if (markers.has_cpu) explain("CPU: samples taken in them");
  const bool gaps = page.view.records && page.view.records->counted_ns > 0;
  if (markers.has_gpu) {
    explain(gaps ? "GPU: recorded work launched in them" : "GPU: work launched in them");
  }
  std::string out = Wrapped(page, head, 2) + table.Render(page.around.screen, page.wide);
  if (markers.rest.rows > 0) {
    out += Wrapped(page,
                   {"... " + Grouped(static_cast<int64_t>(markers.rest.rows)) + " more,",
                    "none above " + Duration(markers.rest.largest) + ";",
                    "--limit " + std::to_string(markers.rows.size()) + " shows them"},
                   4);
  }
  return out;
}

}  // namespace gprofx
