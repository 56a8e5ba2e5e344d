#include "cli/top/draw.h"

#include <algorithm>
#include <tuple>

#include "cli/report/number.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/text.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

constexpr int kMinColumns = 40, kMinRows = 8;

std::string Right(const std::string& text, int width) {
  const int blanks = std::max(0, width - Columns(text));
  return std::string(static_cast<size_t>(blanks), ' ') + text;
}

std::string Share(int64_t part, int64_t whole) {
  return Percent(static_cast<double>(part), static_cast<double>(whole));
}

// Formats the time since the start: "12.3 s", "4:05" or "3:12:09".
std::string Elapsed(int64_t ns) {
  const int64_t seconds = ns / 1'000'000'000;
  const auto two = [](int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  const std::string end = two(seconds / 60 % 60) + ":" + two(seconds % 60);
  return seconds < 3600 ? end : std::to_string(seconds / 3600) + ":" + end;
}

std::string TitleLine(const Snapshot& s, const TopScreen& screen, int columns) {
  std::string state = screen.is_paused ? "  [paused]" : "";
  if (!s.runs) state = "  [ended]";
  const std::string start =
      "gprof-x top  " + Elapsed(s.now_ns) + "  pid " + std::to_string(s.pid) + "  ";
  const int room = columns - Columns(start) - Columns(state);
  return start + FitEnd(Printable(s.command), std::max(room, 10)) + state;
}

std::string CpuLine(const Snapshot& s, int columns) {
  const int64_t t = s.interval_ns;
  std::string line = s.wall_clock ? "Wall" : "CPU ";
  line += Right(Share(s.cpu_ns, t), 7) + " in " + std::to_string(s.threads) +
          (s.threads == 1 ? " thread" : " threads");
  line += ": Python " + Share(s.python_ns, t) + ", other " + Share(s.cpu_ns - s.python_ns, t);
  if (s.wall_clock) line += ", waiting " + Share(s.idle_ns, t);
  line += "; GIL held " + Share(s.gil_ns, t);
  if (s.profiling_ns * 1000 > t) line += "; profiling " + Share(s.profiling_ns, t);
  if (s.lost_ns > 0) line += "; lost " + Share(s.lost_ns, t);
  return FitEnd(line, columns);
}

std::string Shares(const std::vector<TopShare>& parts, int64_t whole) {
  std::string text;
  for (const TopShare& part : parts) {
    if (part.ns * 1000 < whole) continue;  // below 0.1 %
    text += (text.empty() ? "" : ", ") + Printable(part.what) + " " + Share(part.ns, whole);
  }
  return text;
}

void AddGpuLines(const TopGpu& gpu, int columns, std::vector<ScreenLine>& lines) {
  const int64_t seen = gpu.busy_ns + gpu.idle_ns;
  std::string busy = "GPU " + Right(Share(gpu.busy_ns, seen), 7) + " busy";
  const std::string parts = Shares(gpu.busy, seen);
  if (!parts.empty()) busy += ": " + parts;
  std::string about =
      "  (" + (gpu.devices > 1 ? std::to_string(gpu.devices) + " GPUs, " : std::string());
  if (!gpu.device.empty()) about += Printable(gpu.device) + ", ";
  about += "until " + Duration(gpu.behind_ns) + " ago";
  if (gpu.unseen_ns > 0) {
    about += ", records for " + Share(gpu.interval_ns - gpu.unseen_ns, gpu.interval_ns) + " of it";
  }
  lines.push_back({FitEnd(busy + about + ")", columns)});
  std::string idle = "    " + Right(Share(gpu.idle_ns, seen), 7) + " idle";
  const std::string causes = Shares(gpu.idle, seen);
  if (!causes.empty()) idle += ": " + causes;
  lines.push_back({FitEnd(idle, columns)});
}

std::string StepLine(const TopSteps& steps, int columns) {
  return FitEnd("Step" + Right(Duration(steps.median_ns), 8) + " (p95 " + Duration(steps.p95_ns) +
                    ", last " + Duration(steps.last_ns) + "), " +
                    Grouped(static_cast<int64_t>(steps.count)) + " steps, by " + steps.source,
                columns);
}

std::vector<ScreenLine> HeadLines(const Snapshot& s, const TopScreen& screen, int columns) {
  std::vector<ScreenLine> lines;
  lines.push_back({TitleLine(s, screen, columns), LineInk::kTitle});
  lines.push_back({CpuLine(s, columns)});
  if (s.gpu) AddGpuLines(*s.gpu, columns, lines);
  if (s.steps) lines.push_back({StepLine(*s.steps, columns)});
  if (!s.focus.empty()) {
    lines.push_back({FitEnd("Only stacks with '" + Printable(s.focus) +
                                "': " + Share(s.focus_ns, s.cpu_ns) + " of this time (Esc ends it)",
                            columns),
                     LineInk::kFound});
  }
  return lines;
}

std::string Place(const std::string& file, uint32_t line) {
  if (file.empty()) return "";
  const std::string name = Printable(ShortFile(file));
  return line == 0 ? name : name + ":" + std::to_string(line);
}

constexpr int kNumbers = 26;  // columns to the left of the name

std::string RowLine(const TopRow& row, const Snapshot& s, bool native, int columns) {
  const std::string numbers = Right(Share(row.self, s.interval_ns), 6) + " " +
                              Right(Share(row.total, s.interval_ns), 6) + " " +
                              Right(Duration(row.self_since_start), 10) + "  ";
  const std::string place = Place(row.file, row.line);
  const int room = columns - kNumbers;
  const int for_place = place.empty() ? 0 : std::min(Columns(place) + 3, room / 2);
  const std::string name = Printable(row.name);
  const int for_name = room - for_place;
  std::string text = native ? ShortenName(name, for_name) : FitEnd(name, for_name);
  if (!place.empty()) text += " (" + FitStart(place, for_place - 3) + ")";
  return FitEnd(numbers + text, columns);
}

std::string KernelLine(const TopKernel& row, const Snapshot& s, int columns) {
  const int64_t whole = s.gpu ? s.gpu->interval_ns - s.gpu->unseen_ns : 0;
  const auto a_second = static_cast<int64_t>(static_cast<double>(row.count) * 1e9 /
                                                 static_cast<double>(std::max<int64_t>(whole, 1)) +
                                             0.5);
  const std::string numbers = Right(Share(row.ns, whole), 6) + " " +
                              Right(ShortCount(a_second), 8) + " " +
                              Right(Duration(row.ns / std::max<int64_t>(row.count, 1)), 8) + "  ";
  const std::string place = Place(row.file, row.line);
  const int room = columns - kNumbers;
  const int for_place = place.empty() ? 0 : std::min(Columns(place) + 2, room / 2);
  std::string text = ShortenKernel(Printable(row.name), room - for_place);
  if (!place.empty()) text += "  " + FitStart(place, for_place - 2);
  return FitEnd(numbers + text, columns);
}

struct Table {
  std::string title, meaning;
  std::vector<std::string> lines;
  std::string why_empty;
};

const std::vector<TopRow>& RowsOf(const Snapshot& s, TopTable table) {
  return table == TopTable::kFunctions ? s.functions
         : table == TopTable::kLines   ? s.lines
                                       : s.native;
}

Table KernelTable(const Snapshot& s, TopSort sort, size_t most, int columns) {
  Table table;
  table.title = "  busy  calls/s     each  GPU KERNEL OR COPY            launched in";
  table.meaning = "busy: share of the GPU's time in which it ran; each: mean time of a call";
  table.why_empty = s.gpu ? "nothing ran on a GPU" : "no GPU work was seen so far";
  std::vector<TopKernel> kernels = s.kernels;
  SortKernels(kernels, sort);
  kernels.resize(std::min(kernels.size(), most));
  for (const TopKernel& row : kernels) table.lines.push_back(KernelLine(row, s, columns));
  return table;
}

Table MakeTable(const Snapshot& s, TopTable which, TopSort sort, size_t most, int columns) {
  if (which == TopTable::kKernels) return KernelTable(s, sort, most, columns);
  const bool native = which == TopTable::kNative;
  Table table;
  table.title = "  self  total since start  ";
  table.title += native                      ? "NATIVE FUNCTION"
                 : which == TopTable::kLines ? "PYTHON LINE"
                                             : "PYTHON FUNCTION";
  table.meaning =
      native ? "self: time in its own code; total: with all it calls; 100% = one core"
             : "self: it or native code it calls runs; total: with all it calls; 100% = 1 core";
  if (s.wall_clock) {
    table.meaning =
        "self: its own time; total: with all it calls, waiting included; 100% = 1 thread";
  }
  table.why_empty = s.wall_clock ? "no thread was seen" : "nothing ran on a CPU";
  std::vector<TopRow> rows = RowsOf(s, which);
  SortRows(rows, sort);
  rows.resize(std::min(rows.size(), most));
  for (const TopRow& row : rows) table.lines.push_back(RowLine(row, s, native, columns));
  return table;
}

std::string KeysText(const TopScreen& screen, int columns) {
  if (screen.is_typing) {
    return FitStart("only stacks with: " + Printable(screen.typed) + "_  (Enter; Esc: no change)",
                    columns);
  }
  if (!screen.message.empty()) return FitEnd(Printable(screen.message), columns);
  return FitEnd("q quit  s sort:" + std::string(SortName(screen.sort)) +
                    "  tab: f l n g  / focus  "
                    "space " +
                    (screen.is_paused ? "go on" : "pause") + "  d dump  ? help",
                columns);
}

std::vector<std::string> HelpTexts() {
  return {
      "CPU        time that threads ran, 100% = one core all the time",
      "Python     share of it with Python on the stack; other: without",
      "GIL held   while the thread held the interpreter's lock",
      "GPU busy   any GPU ran something; idle: none did, and what the host did then",
      "           records arrive late, so this ends shortly before now, as shown there",
      "Step       one pass of the training loop, where the program shows one",
      "self       time in the row itself, last interval; total: with what it calls",
      "since start  self of all intervals so far",
      "[library]  native code whose name is looked up, or that has none",
      "",
      "tab        next table; f Python functions, l lines, n native functions, g GPU",
      "s          order: self, total, since start, name",
      "/          only stacks with a function or file whose name contains this text",
      "arrows     move through the table",
      "space      pauses the screen; recording continues",
      "d          writes the recording so far to a profile for gprof-x report",
      "q          quits: leaves an attached program running, interrupts a started one",
      "",
      "? or Esc goes back",
  };
}

}  // namespace

void SortRows(std::vector<TopRow>& rows, TopSort sort) {
  const auto value = [sort](const TopRow& row) {
    return sort == TopSort::kSelf         ? row.self
           : sort == TopSort::kTotal      ? row.total
           : sort == TopSort::kSinceStart ? row.self_since_start
                                          : 0;
  };
  std::sort(rows.begin(), rows.end(), [&](const TopRow& a, const TopRow& b) {
    if (value(a) != value(b)) return value(a) > value(b);
    if (sort == TopSort::kSelf && a.total != b.total) return a.total > b.total;
    return std::tie(a.name, a.file, a.line) < std::tie(b.name, b.file, b.line);
  });
}

void SortKernels(std::vector<TopKernel>& kernels, TopSort sort) {
  std::sort(kernels.begin(), kernels.end(), [&](const TopKernel& a, const TopKernel& b) {
    if (sort != TopSort::kName && a.ns != b.ns) return a.ns > b.ns;
    return a.name < b.name;
  });
}

std::vector<ScreenLine> DrawTop(const Snapshot& snapshot, const TopScreen& screen, int rows,
                                int columns) {
  columns = std::max(columns, kMinColumns);
  const auto height = static_cast<size_t>(std::max(rows, kMinRows));
  std::vector<ScreenLine> lines = HeadLines(snapshot, screen, columns);
  const ScreenLine keys = {KeysText(screen, columns), LineInk::kKeys};
  if (screen.is_helping) {
    for (const std::string& text : HelpTexts()) lines.push_back({FitEnd(text, columns)});
    lines.resize(height - 1);
    lines.push_back(keys);
    return lines;
  }
  const Table table = MakeTable(snapshot, screen.table, screen.sort, SIZE_MAX, columns);
  lines.push_back({FitEnd(table.title, columns), LineInk::kSelected});
  lines.back().text.resize(std::max(lines.back().text.size(), static_cast<size_t>(columns)), ' ');
  const size_t room = height - std::min(height, lines.size() + 2);
  const size_t last = table.lines.size() - std::min(table.lines.size(), room);
  const size_t first = std::min(screen.first_row, last);
  for (size_t i = first; i < std::min(table.lines.size(), first + room); ++i) {
    lines.push_back({table.lines[i]});
  }
  if (table.lines.empty()) lines.push_back({FitEnd("        " + table.why_empty, columns)});
  lines.resize(height - 2);
  lines.push_back({FitEnd(table.meaning, columns), LineInk::kKeys});
  lines.push_back(keys);
  return lines;
}

std::string TopText(const Snapshot& snapshot, const TopScreen& screen, size_t most, int columns) {
  std::string text;
  for (const ScreenLine& line : HeadLines(snapshot, screen, columns)) text += line.text + "\n";
  for (int i = 0; i < kTopTables; ++i) {
    const auto which = static_cast<TopTable>(i);
    if (which == TopTable::kLines && screen.table != which) continue;
    if (which == TopTable::kFunctions && screen.table == TopTable::kLines) continue;
    const Table table = MakeTable(snapshot, which, screen.sort, most, columns);
    if (table.lines.empty()) continue;
    text += FitEnd(table.title, columns) + "\n";
    for (const std::string& line : table.lines) text += line + "\n";
  }
  return text;
}

}  // namespace gprofx
