#include <algorithm>
#include <map>

#include "cli/report/number.h"
#include "cli/report/text/gpu.h"
#include "cli/report/text/hints.h"
#include "cli/report/text/text.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/base/path.h"
#include "core/model/libraries.h"
#include "core/views/code/owners.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

constexpr int kLongestLibrary = 12;

bool PythonView(const Page& page) { return page.view.code == CodeView::kPython; }

// Returns the kind of the rows, such as "Python functions" or "own lines".
std::string Things(const Page& page, By by, size_t count) {
  const std::string whose = page.view.query.own                   ? "own "
                            : PythonView(page)                    ? "Python "
                            : page.view.code == CodeView::kNative ? "native "
                                                                  : "";
  switch (by) {
    case By::kLine:
    case By::kSourceLine:
      return whose + (count == 1 ? "line" : "lines");
    case By::kModule:
      return count == 1 ? "module" : "modules";
    default:
      return whose + (count == 1 ? "function" : "functions");
  }
}

// Returns the native part of a row's self time and the library that has most of it: "62% OpenBLAS".
std::string NativeText(const Page& page, const Row& row) {
  if (row.waits && row.own_line) return "waits";
  if (!row.own_line || row.native <= 0 || row.self <= 0 || !row.library) return "";
  if (!IsRoomy(page)) return ShareOf(row.native, row.self);
  const Profile& profile = page.view.profile;
  const std::string library = LibraryStem(profile.Text(profile.module(row.library).path));
  const std::string share = ShareOf(row.native, row.self);
  const std::string text = Printable(library);
  return share + " " + (page.wide ? text : FitEnd(text, kLongestLibrary));
}

std::string KindText(const Label& label, const Row& row) {
  if (row.waits && label.kind != FrameKind::kIdle) return "wait";
  return std::string(KindWord(label.kind, label.name));
}

// Returns the name of the first row that is useful in a further command. Rows that work are
// preferred, because the callers of a waiting function or of the interpreter's own work are less
// interesting. Returns "" if no name can be typed.
std::string NameToGoOnFrom(const Page& page) {
  const RowTable& table = *page.view.rows;
  if (table.groups.by != By::kFunction) return "";
  std::string second_best;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    const bool is_second_best = row.waits || row.family != Family::kNone;
    if (row.group == 0 || (is_second_best && !second_best.empty())) continue;
    const Label label = LabelOf(page.view.profile, table.groups, row.group);
    if (label.name.front() == '[' || label.name.front() == '-') continue;
    const std::string name = NameOrRow(page, label.name, "#", i);
    if (name.empty()) continue;
    if (!is_second_best) return name;
    second_best = name;
  }
  return second_best;
}

// True if the first row with a Python function is foreign code, and not the program's own.
bool IsForeignFirst(const Page& page) {
  if (!PythonView(page) || page.view.query.own || page.view.query.code) return false;
  const std::vector<Row>& rows = page.view.rows->rows;
  const auto first = std::find_if(rows.begin(), rows.end(),
                                  [](const Row& row) { return static_cast<bool>(row.own_line); });
  return first != rows.end() && OwnFrames(page.view.profile)[first->own_line.index()] == 0;
}

// Appends further commands to `commands`, and returns all as lines.
std::string NextText(const Page& page, std::vector<std::string> commands) {
  const View& view = page.view;
  std::string how = IsGpuMetric(view.metric) ? ShellQuoted(view.metric.name) : "";
  if (!how.empty()) how = "--metric " + how + " ";
  if (view.query.own) how += "--own ";
  if (view.query.code) how += std::string("--view ") + CodeName(*view.query.code) + " ";
  if (IsForeignFirst(page)) commands.push_back(CommandText(page, how + "--own"));
  commands.push_back(CommandText(page, how + "--tree"));
  const std::string name = NameToGoOnFrom(page);
  if (!name.empty()) commands.push_back(CommandText(page, how + "--callers " + name));
  return HintLines(commands);
}

// Shortens a Python name and keeps its innermost part: "Session.request" becomes "request", and
// "load.<listcomp>" becomes "load".
std::string ShortenPythonName(std::string_view name, int columns) {
  const size_t nameless = name.find(".<");
  if (Columns(name) > columns && nameless != std::string_view::npos)
    return ShortenPythonName(name.substr(0, nameless), columns);
  const bool python = !name.starts_with('[') && name.find("::") == std::string_view::npos;
  return python ? FitDotted(name, columns) : ShortenName(name, columns);
}

// True if the rows are Python functions. Each has a column for its own line.
bool HasOwnLines(const Page& page, By by) { return PythonView(page) && by == By::kFunction; }

std::vector<Column> RowColumns(const Page& page, By by) {
  const std::string share = ShareTitle(page);
  std::vector<Column> columns;
  if (page.view.is_numbered) columns.push_back({"#", Align::kRight});
  columns.push_back({"self", Align::kRight});
  columns.push_back({share, Align::kRight});
  columns.push_back({"total", Align::kRight});
  columns.push_back({share, Align::kRight});
  columns.push_back({PythonView(page) ? "native" : "kind"});
  if (by == By::kSourceLine) {
    columns.push_back({"line", Align::kLeft, 2, &FitPlace});
    if (IsRoomy(page) || !page.around.source_line)
      columns.push_back({"function", Align::kLeft, 2, &ShortenName});
    if (page.around.source_line) columns.push_back({"source", Align::kLeft, 3});
  } else if (by == By::kModule) {
    columns.push_back({"module", Align::kLeft, 3, &FitStart});
    columns.push_back({"called from", Align::kLeft, 2, &FitPlace});
  } else if (HasOwnLines(page, by)) {
    columns.push_back({"function", Align::kLeft, 1, &ShortenPythonName});
    columns.push_back({"line", Align::kLeft, 1, &FitPlace});
    if (IsRoomy(page)) columns.push_back({"called from", Align::kLeft, 1, &FitPlace});
  } else {
    const bool kernels = IsGpuMetric(page.view.metric);
    columns.push_back({"function", Align::kLeft, 3, kernels ? &FitMiddle : &ShortenName});
    columns.push_back({"called from", Align::kLeft, 2, &FitPlace});
  }
  return columns;
}

// Shortens the paths of modules, because many modules have the same leading folders. Shows only the
// path within the package, or only the file name, if that is unique among the shown rows.
class ModuleNames {
 public:
  ModuleNames(const Page& page, const RowTable& table) : wide_(page.wide) {
    if (table.groups.by != By::kModule) return;
    for (size_t i = 0; i < table.shown; ++i) {
      const uint32_t group = table.rows[i].group;
      if (group != 0) ++files_[Short(LabelOf(page.view.profile, table.groups, group).name)];
    }
  }
  std::string Of(const std::string& path) const {
    const auto found = files_.find(Short(path));
    return !wide_ && found != files_.end() && found->second == 1 ? found->first : path;
  }

 private:
  static std::string Short(const std::string& path) {
    for (const std::string_view folder : {"-packages/", "/python3."}) {
      const size_t found = path.rfind(folder);
      const size_t end = found == std::string::npos ? found : path.find('/', found + 1);
      if (end != std::string::npos) return path.substr(end + 1);
    }
    return std::string(BaseName(path));
  }
  bool wide_;
  std::map<std::string, int> files_;
};

// Returns the cells of a Python function: its name, the line in which it takes most of its time,
// and the line of the user's code that called it. The last one is left out if the function is the
// user's own.
std::vector<std::string> OwnLineCells(const Page& page, const Label& label, const Row& row) {
  const Profile& profile = page.view.profile;
  const std::string name = Printable(page.wide ? label.name : WithoutLocals(label.name));
  if (!row.own_line) return {NativeText(page, row), name, "", ""};
  const Frame& own = profile.frame(row.own_line);
  const std::string place = Printable(PlaceText(FrameFile(profile, own), own.line));
  const bool called = row.seen_as && profile.frame(row.seen_as).function != own.function;
  return {NativeText(page, row), name, place,
          called ? Printable(SeenAsText(profile, row.seen_as, label.name)) : ""};
}

// Returns the cells of a line. On a narrow screen there is only one of two: the text of the line
// or, if that is unknown, the function.
std::vector<std::string> LineCells(const Page& page, const std::string& kind,
                                   const std::string& place, const std::string& function,
                                   const std::string& source) {
  if (!page.around.source_line) return {kind, Printable(place), function};
  if (IsRoomy(page)) return {kind, Printable(place), function, source};
  return {kind, Printable(place), source.empty() ? function : source};
}

using Own = std::vector<uint8_t>;  // result of OwnFrames()

// Returns the line that called the function of a row. Returns "" if that line belongs to a package
// or the standard library, because it says little about the program.
std::string CalledFrom(const Page& page, const Own& own, const Label& label, const Row& row) {
  if (own[row.seen_as.index()] == 0) return "";
  return SeenAsText(page.view.profile, row.seen_as, label.name);
}

// Returns the last cells of a row, which say what the row is and where.
std::vector<std::string> NameCells(const Page& page, const RowTable& table,
                                   const ModuleNames& modules, const Own& own, const Row& row) {
  const Label label = LabelOf(page.view.profile, table.groups, row.group);
  if (HasOwnLines(page, table.groups.by)) return OwnLineCells(page, label, row);
  const std::string kind = PythonView(page) ? NativeText(page, row) : KindText(label, row);
  if (row.group == 0) return {kind, Printable(label.name), ""};
  const bool short_kernel = label.kind == FrameKind::kGpuKernel && !page.wide;
  const FrameId frame = table.groups.first[row.group - 1];
  const std::string name = Printable(short_kernel && table.groups.by != By::kModule
                                         ? page.view.kernel_labels.Short(page.view.profile, frame)
                                         : modules.Of(label.name));
  const std::string place = PlaceText(label.file, label.line);
  if (table.groups.by == By::kSourceLine) {
    const std::string full = label.file + ":" + std::to_string(label.line);
    return LineCells(page, kind, page.wide ? full : place, name,
                     SourceOfLine(page, label.file, label.line));
  }
  const bool by_line = table.groups.by == By::kLine && label.line != 0;
  return {kind, by_line ? name + " " + Printable(place) : name,
          Printable(row.seen_as ? CalledFrom(page, own, label, row) : place)};
}

// Returns the part of the title that says what the rows' time includes.
std::string WithWhat(const Page& page) {
  if (page.view.query.own) return ", with all code they call";
  return PythonView(page) ? ", with the native code they call" : "";
}

// Returns the title and the table of functions, modules or lines. If there are no rows, returns a
// text that says why.
std::string RowsText(const Page& page, const char* lead) {
  const RowTable& rows = *page.view.rows;
  if (rows.rows.empty()) {
    return rows.whole == 0 ? "(no samples in this profile)\n" : "(no stack passes the filters)\n";
  }
  const By by = rows.groups.by;
  std::vector<std::string> title = {lead + ("top " + Grouped(static_cast<int64_t>(rows.shown))) +
                                        " of " + Grouped(static_cast<int64_t>(rows.rows.size())) +
                                        " " + Things(page, by, rows.rows.size()) + " by self time" +
                                        WithWhat(page) + ";",
                                    ShareTitle(page) + " = share of " + BaseText(page)};
  if (PythonView(page)) title.back() += "; native = share of self";
  if (by == By::kSourceLine) title.push_back("(self includes called code that has no line)");
  Table table(RowColumns(page, by));
  const std::string& unit = page.view.metric.unit;
  const ModuleNames modules(page, rows);
  const Own own = OwnFrames(page.view.profile);
  for (size_t i = 0; i < rows.shown; ++i) {
    const Row& row = rows.rows[i];
    std::vector<std::string> cells;
    if (page.view.is_numbered) cells.push_back(std::to_string(i + 1));
    for (const int64_t value : {row.self, row.total}) {
      cells.push_back(Amount(value, unit));
      cells.push_back(OfBase(page, value));
    }
    for (std::string& cell : NameCells(page, rows, modules, own, row))
      cells.push_back(std::move(cell));
    table.Add(std::move(cells));
  }
  return Wrapped(page, title, 2) + table.Render(page.around.screen, page.wide) +
         RestText(page, rows.rest, rows.rows.size(), rows.whole, BaseText(page) + " self");
}

}  // namespace

std::string TopText(const Page& page) {
  const View& view = page.view;
  std::string out;
  std::vector<std::string> hints;
  if (view.is_picture) {
    out = WallText(page) + LanesText(page) + RanksText(page) + KernelsText(page) +
          CopiesText(page) + "\n" + WaitsText(page);
    hints = GpuHints(page);
  } else if (page.around.files.size() > 1) {
    out = RanksText(page);
  }
  out += RowsText(page, view.is_picture ? "CPU: " : "");
  if (const std::string gpu_lines = GpuLinesText(page); !gpu_lines.empty()) {
    out += gpu_lines;
    hints = GpuHints(page);
  }
  if (view.rows->rows.empty()) return out + HintLines(hints);
  return out + NextText(page, std::move(hints));
}

std::string KernelTopText(const Page& page) {
  if (!page.view.gpu.present) return "(no GPU data in this profile)\n";
  return KernelsText(page) + CopiesText(page) + HintLines(GpuHints(page));
}

}  // namespace gprofx
