#include <algorithm>

#include "cli/report/number.h"
#include "cli/report/text/text.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr int kNameColumns = 24, kBusyColumns = 9;

char Mark(int percent) {
  if (percent <= 0) return ' ';
  if (percent <= 25) return '.';
  if (percent <= 50) return '-';
  return percent <= 75 ? '+' : '#';
}

std::string Padded(const std::string& text, int columns, bool right) {
  const std::string fill(static_cast<size_t>(std::max(columns - Columns(text), 0)), ' ');
  return right ? fill + text : text + fill;
}

std::string Line(const std::string& name, const std::string& busy, const std::string& bins) {
  return Padded(FitEnd(name, kNameColumns), kNameColumns, false) +
         Padded(busy, kBusyColumns, true) + " |" + bins + "|\n";
}

std::string StreamName(const Timeline& timeline, const TimelineRow& row) {
  if (!row.is_known) return "GPU, stream unknown";
  std::string name = "GPU " + std::to_string(row.gpu);
  name += row.streams > 1 ? " " + std::to_string(row.streams) + " streams"
                          : " stream " + std::to_string(row.stream);
  if (timeline.many_processes) name += ", " + std::to_string(row.pid);
  return name;
}

std::string ThreadName(const TimelineRow& row) {
  if (!row.is_known) return "other threads";
  const std::string id = " " + std::to_string(row.tid);
  const std::string name = Printable(row.name.empty() ? "(no name)" : row.name);
  return FitEnd(name, std::max(kNameColumns - Columns(id), 1)) + id;
}

std::string MarkerName(const TimelineRow& row) {
  return "[" + FitEnd(Printable(row.name), kNameColumns - 2) + "]";
}

std::string BinText(const TimelineRow& row) {
  std::string text;
  for (const int percent : row.percent) text += Mark(percent);
  return text;
}

// Returns the phases as a row of text: "start-up--|warm|steady-----|e". If there is space, each
// phase has at least its first letter.
std::string PhaseBins(const Timeline& timeline) {
  std::string bins(timeline.bins, ' ');
  const double length = static_cast<double>(timeline.range.end - timeline.range.begin);
  const auto bin_of = [&](HostNs time) {
    const double part = static_cast<double>(time - timeline.range.begin) / length;
    return std::min(static_cast<size_t>(part * static_cast<double>(timeline.bins)), timeline.bins);
  };
  for (size_t i = 0; i < timeline.phases.size(); ++i) {
    const Phase& phase = timeline.phases[i];
    const size_t begin = bin_of(phase.range.begin);
    const size_t end =
        i + 1 < timeline.phases.size() ? bin_of(timeline.phases[i + 1].range.begin) : timeline.bins;
    const std::string name = PhaseName(phase.kind);
    for (size_t bin = begin; bin < end; ++bin) {
      const size_t letter = bin - begin;
      bins[bin] = letter == 0 ? name[0] : '-';
      if (end - begin > name.size() && letter < name.size()) bins[bin] = name[letter];
    }
  }
  return bins;
}

std::string Scale(const Timeline& timeline) {
  const std::string first = Duration(timeline.range.begin), last = Duration(timeline.range.end);
  std::string line(static_cast<size_t>(kNameColumns + kBusyColumns + 2), ' ');
  line += first;
  const size_t used = first.size() + last.size();
  if (timeline.bins > used) line += std::string(timeline.bins - used, ' ');
  return line + last + "\n";
}

}  // namespace

size_t TimelineColumns(const Screen& screen) {
  return static_cast<size_t>(std::max(screen.columns - kNameColumns - kBusyColumns - 3, 20));
}

std::string TimelineText(const Page& page) {
  const Timeline& timeline = *page.view.timeline;
  if (timeline.rows.empty() && timeline.markers.empty()) return "(nothing ran in this range)\n";
  const int64_t column = (timeline.range.end - timeline.range.begin) /
                         static_cast<int64_t>(std::max<size_t>(timeline.bins, 1));
  std::vector<std::string> legend = {
      "timeline: a column is " + Duration(column) + ";",
      "busy in it: . up to 25%, - up to 50%, + up to 75%, # more;",
      timeline.markers.empty()
          ? "a thread is busy while it uses a CPU"
          : "a thread is busy while it uses a CPU, a range [NAME] while it is open"};
  const bool folded = std::any_of(timeline.rows.begin(), timeline.rows.end(),
                                  [](const TimelineRow& row) { return row.streams > 1; });
  if (folded) {
    legend.back() += ";";
    legend.push_back("streams busy for less than 0.1% are one row (--all-frames shows each)");
  }
  std::string out = Wrapped(page, legend, 2);
  out += Padded("", kNameColumns, false) + Padded("busy", kBusyColumns, true) + "\n";
  if (!timeline.phases.empty()) out += Line("phases", "", PhaseBins(timeline));
  for (const TimelineRow& row : timeline.markers) {
    out += Line(MarkerName(row), Duration(row.busy_ns), BinText(row));
  }
  for (const TimelineRow& row : timeline.rows) {
    const std::string name = row.is_gpu ? StreamName(timeline, row) : ThreadName(row);
    out += Line(name, Duration(row.busy_ns), BinText(row));
  }
  out += Scale(timeline);
  if (timeline.hidden > 0) {
    const size_t all = timeline.rows.size() + timeline.hidden;
    out += Wrapped(page,
                   {"... " + Grouped(static_cast<int64_t>(timeline.hidden)) + " more rows,",
                    "together " + Duration(timeline.hidden_ns) + ",",
                    "none above " + Duration(timeline.hidden_largest_ns) + ";",
                    "--limit " + std::to_string(all) + " shows them"},
                   4);
  }
  return out;
}

}  // namespace gprofx
