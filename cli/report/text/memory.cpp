// report --memory: prints the live memory of each GPU over time, and the lines that allocated it.
#include <algorithm>

#include "cli/report/number.h"
#include "cli/report/text/text.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/model/gpu_numbers.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

constexpr int kPlotRows = 6;  // height of a plot in rows
// Minimum number of columns of a screen on which tables have all columns.
constexpr int kWideColumns = 100;
constexpr size_t kGrowing = 5;  // max number of growing lines to list

const char* AllocatorName(const AllocatorMemory& row) {
  return row.is_framework ? "framework" : "driver";
}

std::string BytesOrNothing(int64_t bytes) { return bytes < 0 ? "" : Bytes(bytes); }

std::string GpuName(const Profile& profile, const AllocatorMemory& row) {
  return row.device ? std::to_string(GpuNumbers(profile)[row.device.index()]) : "?";
}

bool HasManyProcesses(const MemoryTable& table) {
  return std::any_of(
      table.allocators.begin(), table.allocators.end(),
      [&](const AllocatorMemory& row) { return row.process != table.allocators.front().process; });
}

std::string AllocatorsText(const Page& page, const MemoryTable& table) {
  const bool many = HasManyProcesses(table);
  const bool is_wide = page.wide || page.around.screen.columns >= kWideColumns;
  std::vector<Column> columns = {{"GPU", Align::kRight}, {"allocator", Align::kLeft, 1}};
  if (many) columns.push_back({"pid", Align::kRight});
  for (const char* title : {"peak", "at", "held", "unused", "at end", "count"}) {
    columns.push_back({title, Align::kRight});
  }
  if (is_wide) {
    columns.push_back({"most held", Align::kRight});
    columns.push_back({"not freed", Align::kRight});
  }
  Table out(std::move(columns));
  for (const AllocatorMemory& row : table.allocators) {
    std::vector<std::string> cells = {GpuName(page.view.profile, row), AllocatorName(row)};
    if (many) {
      cells.push_back(row.process ? std::to_string(page.view.profile.process(row.process).pid)
                                  : "");
    }
    const int64_t unused = std::max<int64_t>(row.reserved_at_peak - row.peak, 0);
    cells.push_back(Bytes(row.peak));
    cells.push_back(Duration(row.peak_time));
    cells.push_back(BytesOrNothing(row.reserved_at_peak));
    cells.push_back(row.reserved_at_peak > 0 ? ShareOf(unused, row.reserved_at_peak) : "");
    cells.push_back(Bytes(row.at_end));
    cells.push_back(Grouped(row.allocations));
    if (is_wide) {
      cells.push_back(BytesOrNothing(row.most_reserved));
      cells.push_back(Bytes(row.never_freed_bytes));
    }
    out.Add(std::move(cells));
  }
  return Wrapped(page,
                 {"GPU memory: the peak of live memory, and its time;",
                  "held: memory that the allocator held at that time;",
                  "unused: held but not live;", "count: number of allocations"},
                 2) +
         out.Render(page.around.screen, page.wide);
}

// Draws a plot with one bar per column. '#' is live memory, and '.' is memory that the allocator
// holds in addition.
std::string PlotText(const Page& page, const MemoryTable& table, const AllocatorMemory& row) {
  int64_t most = row.peak;
  for (const int64_t held : row.reserved) most = std::max(most, held);
  if (most <= 0) return "";
  std::string out = "GPU " + GpuName(page.view.profile, row) + ", " + AllocatorName(row) +
                    (HasManyProcesses(table) && row.process
                         ? ", " + std::to_string(page.view.profile.process(row.process).pid)
                         : "") +
                    ": # live, . held but not live, ^ the peak\n";
  const std::string label = Bytes(most);
  const auto reaches = [&](int64_t value, int level) {  // level 0 is the lowest row
    return value > 0 &&
           static_cast<__int128>(value) * kPlotRows > static_cast<__int128>(most) * level;
  };
  for (int level = kPlotRows - 1; level >= 0; --level) {
    const std::string name = level == kPlotRows - 1 ? label : "";
    out += std::string(static_cast<size_t>(std::max(10 - Columns(name), 0)), ' ') + name + " |";
    for (size_t bin = 0; bin < row.live.size(); ++bin) {
      out += reaches(row.live[bin], level) ? '#' : reaches(row.reserved[bin], level) ? '.' : ' ';
    }
    out += "|\n";
  }
  const HostNs length = std::max<HostNs>(table.range.end - table.range.begin, 1);
  const double part =
      static_cast<double>(row.peak_time - table.range.begin) / static_cast<double>(length);
  const size_t columns = row.live.size();
  const size_t peak = std::min(
      static_cast<size_t>(std::max(part, 0.0) * static_cast<double>(columns)), columns - 1);
  std::string scale = std::string(12 + columns, ' ');
  scale[12 + peak] = '^';
  out += scale.substr(0, 13 + peak) + "\n";
  const std::string first = Duration(table.range.begin), last = Duration(table.range.end);
  const size_t used = first.size() + last.size();
  return out + std::string(12, ' ') + first +
         std::string(columns > used ? columns - used : 1, ' ') + last + "\n";
}

std::string LinesText(const Page& page, const MemoryTable& table) {
  std::vector<Column> columns = {{"at peak", Align::kRight},   {"%", Align::kRight},
                                 {"allocated", Align::kRight}, {"count", Align::kRight},
                                 {"not freed", Align::kRight}, {"life", Align::kRight}};
  if (table.has_steps) columns.push_back({"all steps", Align::kRight});
  columns.push_back({"line", Align::kLeft, 2});
  columns.push_back({"function", Align::kLeft, 3});
  Table out(std::move(columns));
  const Profile& profile = page.view.profile;
  for (size_t i = 0; i < table.shown; ++i) {
    const MemoryLine& line = table.lines[i];
    std::vector<std::string> cells = {Bytes(line.at_peak),
                                      ShareOf(line.at_peak, table.at_peaks),
                                      Bytes(line.allocated),
                                      Grouped(line.allocations),
                                      line.never_freed == 0 ? "" : Bytes(line.never_freed_bytes),
                                      line.median_life_ns < 0 ? "" : Duration(line.median_life_ns)};
    if (table.has_steps) {
      cells.push_back(line.before_steps_bytes == 0 ? "" : Bytes(line.before_steps_bytes));
    }
    if (line.frame) {
      const Frame& frame = profile.frame(line.frame);
      cells.push_back(Printable(PlaceText(FrameFile(profile, frame), frame.line)));
      cells.push_back(Printable(FrameName(profile, frame)));
    } else {
      cells.insert(cells.end(), {"", "[no call path]"});
    }
    out.Add(std::move(cells));
  }
  std::vector<std::string> head = {"top " + Grouped(static_cast<int64_t>(table.shown)) + " of " +
                                       Grouped(static_cast<int64_t>(table.lines.size())) +
                                       " lines by live memory at the peak;",
                                   "life: median lifetime of freed blocks"};
  if (table.has_steps) {
    head.back() += ";";
    head.emplace_back("all steps: live from before the first step until after the last");
  }
  return Wrapped(page, head, 2) + out.Render(page.around.screen, page.wide);
}

// Lists the lines that leave blocks allocated in nearly every step. The largest growth comes first.
std::string GrowthText(const Page& page, const MemoryTable& table) {
  std::vector<const MemoryLine*> lines;
  for (const MemoryLine& line : table.lines) {
    if (line.grows_by > 0) lines.push_back(&line);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const MemoryLine* a, const MemoryLine* b) {
    return a->grows_by > b->grows_by;
  });
  std::string out;
  const Profile& profile = page.view.profile;
  for (size_t i = 0; i < std::min<size_t>(lines.size(), kGrowing); ++i) {
    const MemoryLine& line = *lines[i];
    std::string place = "code without a call path";
    if (line.frame) {
      const Frame& frame = profile.frame(line.frame);
      place = Printable(FrameName(profile, frame) + " " +
                        PlaceText(FrameFile(profile, frame), frame.line));
    }
    out += Wrapped(page,
                   {"grows by " + Bytes(line.grows_by) + " a step: " + place + ",",
                    "where blocks of " + Grouped(line.leaving_steps) + " of " +
                        Grouped(table.steps) + " steps are live at the end"},
                   4);
  }
  return out;
}

}  // namespace

size_t MemoryColumns(const Screen& screen) {
  return static_cast<size_t>(std::max(screen.columns - 13, 20));
}

std::string MemoryText(const Page& page) {
  const MemoryTable& table = *page.view.memory;
  if (table.allocators.empty()) {
    return "(no GPU memory in this profile; 'gprof-x record --memory yes' records PyTorch's "
           "blocks)\n";
  }
  std::string out = AllocatorsText(page, table);
  for (const AllocatorMemory& row : table.allocators) {
    if (row.is_shown) out += "\n" + PlotText(page, table, row);
  }
  out += "\n" + LinesText(page, table);
  if (table.shown < table.lines.size()) {
    out += Wrapped(
        page,
        {"... " + Grouped(static_cast<int64_t>(table.lines.size() - table.shown)) + " more;",
         "--limit " + std::to_string(table.lines.size()) + " shows them"},
        4);
  }
  out += GrowthText(page, table);
  return out +
         Wrapped(page, {"the call tree at the peak: gprof-x report --tree --metric gpu_memory"}, 2);
}

}  // namespace gprofx
