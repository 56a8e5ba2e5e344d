#include "cli/report/number.h"
#include "cli/report/text/gpu.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr size_t kMostLanes = 16;

// "waiting for Python" -> "Python": the column says the rest.
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
  Table table({{"GPU", Align::kRight},
               {"pid", Align::kRight},
               {"process", Align::kLeft, 1},
               {"compute", Align::kRight},
               {"comm.", Align::kRight},
               {"hidden", Align::kRight},
               {"copy", Align::kRight},
               {"idle", Align::kRight},
               {"idle for", Align::kLeft, 1}});
  for (size_t i = 0; i < lanes.size() && i < kMostLanes; ++i) {
    const LaneShares& lane = lanes[i];
    const WallShares& shares = lane.shares;
    const WallShare* most = LargestIdle(shares);
    table.Add({lane.gpu_known ? std::to_string(lane.gpu) : "?", std::to_string(lane.pid),
               Printable(lane.process), Tenths(shares.busy_parts[0].tenths),
               Tenths(shares.busy_parts[1].tenths), Tenths(lane.hidden_tenths),
               Tenths(shares.busy_parts[2].tenths), Tenths(shares.idle.tenths),
               most != nullptr ? Printable(Short(most->what)) : ""});
  }
  std::string text =
      "by GPU and process: shares of its time from its first work there on;\n"
      "comm. = communication that no computing hides, hidden = beside computing\n" +
      table.Render(page.around.screen, page.wide);
  if (lanes.size() > kMostLanes) {
    text += "... " + Grouped(static_cast<int64_t>(lanes.size() - kMostLanes)) +
            " more; --json shows them\n";
  }
  return text + "\n";
}

}  // namespace gprofx
