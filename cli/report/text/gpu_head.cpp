#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "cli/report/number.h"
#include "cli/report/quality_text.h"
#include "cli/report/text/gpu.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr size_t kMaxDeviceNames = 3;
constexpr int kLongestCause = 40;
constexpr size_t kMarginColumns = 8;
constexpr int kBarColumns = 40, kNarrowBarColumns = 20;

std::string PartText(const WallShare& part, bool last) {
  return FitEnd(Printable(part.what), kLongestCause) + " " + Tenths(part.tenths) +
         (last ? "" : ",");
}

std::string Bar(int tenths, int width, char mark) {
  return std::string(static_cast<size_t>((tenths * width + 500) / 1000), mark);
}

// Makes the column of error margins. There is none if all shares are exact.
struct Margins {
  explicit Margins(const WallShares& shares) : whole_ns(shares.total_ns) {
    for (const auto* parts : {&shares.busy_parts, &shares.idle_parts}) {
      for (const WallShare& part : *parts) shown |= part.margin_ns > 0;
    }
  }
  std::string Of(const WallShare& part) const {
    if (!shown) return "";
    const double share = static_cast<double>(part.margin_ns) / static_cast<double>(whole_ns);
    const auto tenths = static_cast<int>(std::ceil(std::min(share, 1.0) * 1000));
    return AtRight(" +-" + Tenths(tenths), kMarginColumns);
  }

  int64_t whole_ns;
  bool shown = false;
};

// Returns a line such as "  GPU busy  78.1%  ####----  compute 70.2%, copy 7.9%".
std::string BusyLine(const WallShares& shares, const Margins& margins, int width, int columns) {
  const std::string bar = Bar(shares.busy.tenths, width, '#');
  const std::string rest(static_cast<size_t>(width) - bar.size(), '-');
  const std::string start = "  " + shares.busy.what + " " + AtRight(Tenths(shares.busy.tenths), 6) +
                            margins.Of(shares.busy) + "  " + bar + rest + "  ";
  std::vector<std::string> texts;
  const std::vector<WallShare>& parts = shares.busy_parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    texts.push_back((i == 0 ? start : "") + PartText(parts[i], i + 1 == parts.size()));
  }
  return WrapParts(texts.data(), texts.size(), " ", columns, 20) + "\n";
}

std::string FoldedLine(size_t causes) {
  return std::string(12, ' ') + Grouped(static_cast<int64_t>(causes)) +
         (causes == 1 ? " more cause" : " more causes, each") + " below 0.05%\n";
}

// Returns one line for each cause of idle time, largest first. Causes that would show as 0.0% share
// one line. Unexplained time always has a line.
std::string IdleLines(const WallShares& shares, const Margins& margins, int width) {
  std::string out = "  " + shares.idle.what + " " + AtRight(Tenths(shares.idle.tenths), 6) +
                    margins.Of(shares.idle) + "\n";
  size_t folded = 0;
  const std::vector<WallShare>& causes = shares.idle_parts;
  int name_columns = 0;
  for (size_t i = 0; i < causes.size(); ++i) {
    const bool shown = causes[i].tenths != 0 || i + 1 == causes.size();
    const int columns = Columns(FitEnd(Printable(causes[i].what), kLongestCause));
    if (shown) name_columns = std::max(name_columns, columns);
  }
  for (size_t i = 0; i < causes.size(); ++i) {
    const bool last = i + 1 == causes.size();
    if (causes[i].tenths == 0 && !last) {
      ++folded;
      continue;
    }
    if (last && folded > 0) out += FoldedLine(folded);
    const std::string name = FitEnd(Printable(causes[i].what), kLongestCause);
    const std::string bar = Bar(causes[i].tenths, width, '=');
    out += "    " + AtRight(Tenths(causes[i].tenths), 6) + margins.Of(causes[i]) + "  " + name;
    if (!bar.empty()) {
      out += std::string(static_cast<size_t>(name_columns - Columns(name)) + 2, ' ') + bar;
    }
    out += "\n";
  }
  return out;
}

}  // namespace

std::vector<std::string> GpuHeadParts(const Page& page) {
  const View& view = page.view;
  if (!view.gpu.present) return {};
  std::string names;
  size_t shown = 0;
  for (const auto& [name, count] : view.recording.devices) {
    if (shown++ == kMaxDeviceNames) {
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

namespace {

// True if all GPU work has records and all records are usable.
bool IsComplete(const GpuQuality& q) {
  const int64_t lacking[] = {
      q.launches_lost,   q.records_without_launch, q.records_without_time, q.records_without_end,
      q.ranges_left_out, q.overlap_late,           q.modules_without_code, q.counted_ns,
      q.pc_dropped,      q.work_records_dropped(), q.stream_full};
  return std::all_of(std::begin(lacking), std::end(lacking), [](int64_t n) { return n == 0; });
}

}  // namespace

std::string GpuDataLine(const Page& page) {
  const GpuQuality& q = page.view.gpu;
  // Nothing is known about a trace of another tool, because only our recorder counts losses.
  if (!q.present || !page.view.imported.from.empty()) return "";
  const bool is_good = IsComplete(q) && FlawTexts(page.view.quality, q).empty();
  if (is_good && page.view.quality.measured > 0 && !page.verbose) return "";
  const auto of_received = [&](int64_t part) { return ShareOf(part, q.pc_received); };
  std::vector<std::string> parts = {
      "GPU data: " + Grouped(q.launches) + " launches,",
      Grouped(q.launches_lost) + " lost" + (q.launch_median_ns > 0 ? "," : ";")};
  if (q.launch_median_ns > 0) {
    parts.push_back("own cost of one " + Duration(q.launch_median_ns) + " (median);");
  }
  if (q.counted_ns > 0) {
    parts.push_back("records made for " +
                    ShareOf(q.traced_ns, AddSaturated(q.traced_ns, q.counted_ns)) + " of the time" +
                    (q.record_ns > 0 ? "," : ";"));
    if (q.record_ns > 0)
      parts.push_back("a launch took " + Duration(q.record_ns) + " more with one;");
  }
  if (q.work_records_dropped() > 0)
    parts.push_back(Grouped(q.work_records_dropped()) + " records dropped by CUPTI;");
  if (q.stream_full > 0) parts.push_back(Grouped(q.stream_full) + " records lost on the way;");
  if (q.records_without_launch > 0) {
    parts.push_back(Grouped(q.records_without_launch) + " records without a launch;");
  }
  if (q.records_without_time > 0) {
    parts.push_back(Grouped(q.records_without_time) + " records without times;");
  }
  if (q.records_without_end > 0) {
    parts.push_back(Grouped(q.records_without_end) + " records of graphs left out:");
    parts.push_back("their ends are those of later replays;");
  }
  if (q.ranges_left_out > 0) {
    parts.push_back(Grouped(q.ranges_left_out) + " of the program's own ranges,");
    parts.push_back("too many to record all, left out with the records;");
  }
  if (q.overlap_late > 0) {
    parts.push_back(Grouped(q.overlap_late) + " records too late to compute their overlap;");
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
  if (shares.WholeNs() == 0) return "";
  const int columns = page.around.screen.columns;
  const int width = columns < 100 ? kNarrowBarColumns : kBarColumns;
  const std::string of = page.view.profile.part ? ", " + PartName(page.view) : "";
  const std::string all = Duration(shares.WholeNs());
  if (shares.total_ns == 0)
    return "where the time went: unknown, because no GPU records were made in " + all + of + "\n\n";
  const Margins margins(shares);
  const std::string whole = shares.unseen_ns == 0
                                ? Duration(shares.total_ns) + " wall time"
                                : Duration(shares.total_ns) + " with GPU records (of " + all + ")";
  return "where the time went: shares of " + whole + of + (margins.shown ? ", +- at 95 %" : "") +
         "\n" + BusyLine(shares, margins, width, columns) + IdleLines(shares, margins, width) +
         "\n";
}

}  // namespace gprofx
