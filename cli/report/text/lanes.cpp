#include <algorithm>

#include "cli/report/number.h"
#include "cli/report/text/gpu.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr size_t kMaxLanes = 16;

// Shortens the name of a cause for a column title: "Python" for "waiting for Python".
std::string_view Short(std::string_view cause) {
  for (const std::string_view start : {"waiting for ", "in "}) {
    if (cause.starts_with(start)) return cause.substr(start.size());
  }
  return cause;
}

}  // namespace

std::string LanesText(const Page& page) {
  const std::vector<LaneShares>& lanes = page.view.lanes;
  if (lanes.size() < 2) return "";
  const bool ranked = std::any_of(lanes.begin(), lanes.end(),
                                  [](const LaneShares& lane) { return lane.rank >= 0; });
  std::vector<Column> columns;
  if (ranked) columns.push_back({"rank", Align::kRight});
  for (const char* title : {"GPU", "pid"}) columns.push_back({title, Align::kRight});
  columns.push_back({"process", Align::kLeft, 1});
  for (const char* title : {"compute", "comm.", "hidden", "copy", "idle"}) {
    columns.push_back({title, Align::kRight});
  }
  columns.push_back({"idle for", Align::kLeft, 1});
  Table table(std::move(columns));
  for (size_t i = 0; i < lanes.size() && i < kMaxLanes; ++i) {
    const LaneShares& lane = lanes[i];
    const WallShares& shares = lane.shares;
    const WallShare* most = LargestIdle(shares);
    std::vector<std::string> cells;
    if (ranked) cells.push_back(lane.rank >= 0 ? std::to_string(lane.rank) : "?");
    cells.push_back(lane.gpu_known ? std::to_string(lane.gpu) : "?");
    cells.push_back(std::to_string(lane.pid));
    cells.push_back(Printable(lane.process));
    for (const int tenths : {shares.busy_parts[0].tenths, shares.busy_parts[1].tenths,
                             lane.hidden_tenths, shares.busy_parts[2].tenths, shares.idle.tenths}) {
      cells.push_back(Tenths(tenths));
    }
    cells.push_back(most != nullptr ? Printable(Short(most->what)) : "");
    table.Add(std::move(cells));
  }
  std::string text =
      "by GPU and process: shares of the time since its first work there;\n"
      "comm. = communication alone, hidden = communication during computing\n" +
      table.Render(page.around.screen, page.wide);
  if (lanes.size() > kMaxLanes) {
    text += "... " + Grouped(static_cast<int64_t>(lanes.size() - kMaxLanes)) +
            " more; --json shows them\n";
  }
  return text + "\n";
}

}  // namespace gprofx
