#include <cstdlib>

#include "cli/report/number.h"
#include "cli/report/text/gpu.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr size_t kMostDeviceNames = 3;
constexpr int kLongestCause = 40;
constexpr int kBarColumns = 40, kNarrowBarColumns = 20;

// Of millionths, also negative ones.
std::string Percent(int64_t millionths) {
  const std::string size = Tenths((std::abs(millionths) + 500) / 1000);
  return millionths <= -500 ? "-" + size : size;
}

std::string PartText(const WallShare& part, bool last) {
  return FitEnd(Printable(part.what), kLongestCause) + " " + Tenths(part.tenths) +
         (last ? "" : ",");
}

// "  GPU busy  78.1%  ####----  compute 70.2%, copy 7.9%"
std::string WallLine(const WallShare& whole, const std::string& bar,
                     const std::vector<WallShare>& parts, int columns) {
  const std::string share = Tenths(whole.tenths);
  std::string start = "  " + whole.what + " " +
                      std::string(share.size() < 6 ? 6 - share.size() : 0, ' ') + share + "  ";
  const int indent = Columns(start);
  start += bar.empty() ? "" : bar + "  ";
  std::vector<std::string> texts;
  for (size_t i = 0; i < parts.size(); ++i) {
    texts.push_back((i == 0 ? start : "") + PartText(parts[i], i + 1 == parts.size()));
  }
  return WrapParts(texts.data(), texts.size(), " ", columns, indent) + "\n";
}

}  // namespace

std::vector<std::string> GpuHeadParts(const Page& page) {
  const View& view = page.view;
  if (!view.gpu.present) return {};
  std::string names;
  size_t shown = 0;
  for (const auto& [name, count] : view.recording.devices) {
    if (shown++ == kMostDeviceNames) {
      names += ", ...";
      break;
    }
    names += (names.empty() ? "" : ", ") + Grouped(count) + "x " +
             (name.empty() ? "GPU" : FitEnd(Printable(name), 40));
  }
  std::vector<std::string> parts;
  if (!names.empty()) parts.push_back(names);
  const int64_t operations = view.WholeSum(kMetricGpuOps);
  parts.push_back(Grouped(operations) + (operations == 1 ? " GPU operation" : " GPU operations"));
  return parts;
}

std::string GpuDataLine(const Page& page) {
  const GpuQuality& q = page.view.gpu;
  if (!q.present) return "";
  const auto of_received = [&](int64_t part) { return ShareOf(part, q.pc_received); };
  std::vector<std::string> parts = {
      "GPU data: " + Grouped(q.launches) + " launches,",
      Grouped(q.launches_lost) + " lost" + (q.launch_median_ns > 0 ? "," : ";")};
  if (q.launch_median_ns > 0) {
    parts.push_back("own cost of one " + Duration(q.launch_median_ns) + " (median);");
  }
  if (q.counted_ns > 0) {
    parts.push_back("records made for " + ShareOf(q.traced_ns, q.traced_ns + q.counted_ns) +
                    " of the time;");
  }
  if (q.cost_pairs > 1) {
    parts.push_back("they slowed launching by " + Percent(q.cost_ppm));
    parts.push_back("(" + Percent(q.cost_low_ppm) + " to " + Percent(q.cost_high_ppm) + ",");
    parts.push_back(Grouped(q.cost_pairs) + " pairs of windows);");
  }
  if (q.records_without_launch > 0) {
    parts.push_back(Grouped(q.records_without_launch) + " records without a launch;");
  }
  if (q.records_without_time > 0) {
    parts.push_back(Grouped(q.records_without_time) + " records without times;");
  }
  if (q.modules_without_code > 0) {
    parts.push_back("code of " + Grouped(q.modules_without_code) + " modules not kept;");
  }
  if (q.pc_received <= 0 && q.pc_dropped <= 0) {
    parts.push_back("no PC samples");
  } else {
    parts.push_back(Grouped(q.pc_received) + " PC samples" +
                    (q.pc_period == 0 ? "" : " every " + Grouped(q.pc_period) + " cycles") + ":");
    parts.push_back("exact " + of_received(q.pc_exact) + ",");
    parts.push_back("proportional " + of_received(q.pc_proportional) + ",");
    parts.push_back("function only " + of_received(q.pc_function_only) + ",");
    parts.push_back("unattributed " + of_received(q.pc_unattributed) + ";");
    parts.push_back("dropped " + Percent(static_cast<double>(q.pc_dropped),
                                         static_cast<double>(q.pc_received) +
                                             static_cast<double>(q.pc_dropped)));
  }
  return Wrapped(page, parts, 6);
}

std::string WallText(const Page& page) {
  const WallShares& shares = page.view.wall;
  if (shares.total_ns == 0) return "";
  const int columns = page.around.screen.columns;
  const int width = columns < 100 ? kNarrowBarColumns : kBarColumns;
  const auto busy = static_cast<size_t>((shares.busy.tenths * width + 500) / 1000);
  const std::string bar =
      std::string(busy, '#') + std::string(static_cast<size_t>(width) - busy, '-');
  const std::string of = page.view.profile.part ? ", " + PartName(page.view) : "";
  return "where the time went: shares of " + Duration(shares.total_ns) + " wall time" + of + "\n" +
         WallLine(shares.busy, bar, shares.busy_parts, columns) +
         WallLine(shares.idle, "", shares.idle_parts, columns) + "\n";
}

}  // namespace gprofx
