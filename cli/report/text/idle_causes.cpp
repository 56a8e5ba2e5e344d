#include "core/views/gpu/idle_causes.h"

#include <cmath>

#include "cli/report/number.h"
#include "cli/report/text/gpu.h"
#include "cli/report/text/text.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

// Returns the name of a lane: "rank 3, GPU 1". Leaves out what is not needed to distinguish the
// lanes.
std::string NameOf(const LaneShares& lane) {
  std::string name =
      lane.rank >= 0 ? "rank " + std::to_string(lane.rank) : "pid " + std::to_string(lane.pid);
  if (lane.gpu_known) name += ", GPU " + std::to_string(lane.gpu);
  return name;
}

}  // namespace

std::string IdleCausesText(const Page& page) {
  const std::vector<LaneShares>& lanes = page.view.lanes;
  if (!page.view.gpu.present) return "";
  if (lanes.empty()) {
    return Wrapped(page,
                   {"why the GPUs are idle is unknown:",
                    "these profiles have no wall time per process;",
                    "profiles of gprof-x record have it"},
                   2) +
           "\n";
  }
  const std::vector<IdleCauseRow> rows = CompareIdleCauses(lanes);
  if (rows.empty()) return "";
  Table table({{"GPU idle for", Align::kLeft, 1},
               {"least", Align::kRight},
               {"median", Align::kRight},
               {"most", Align::kRight},
               {"furthest", Align::kRight},
               {"in", Align::kLeft}});
  for (const IdleCauseRow& row : rows) {
    std::vector<std::string> cells = {Printable(row.what), Tenths(row.least),
                                      Tenths(static_cast<int>(std::lround(row.median))),
                                      Tenths(row.most)};
    cells.push_back(row.most_off ? Tenths(row.tenths[*row.most_off]) : "-");
    cells.push_back(row.most_off ? NameOf(lanes[*row.most_off]) : "");
    table.Add(std::move(cells));
  }
  return Wrapped(page,
                 {"why GPUs are idle, over " + Grouped(static_cast<int64_t>(lanes.size())) +
                      " processes on their GPUs:",
                  "shares of each process's time with GPU records,",
                  "and the process furthest from the median"},
                 2) +
         table.Render(page.around.screen, page.wide) + "\n";
}

}  // namespace gprofx
