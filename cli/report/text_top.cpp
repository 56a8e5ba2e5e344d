#include <algorithm>

#include "cli/report/gpu_names.h"
#include "cli/report/gpu_text.h"
#include "cli/report/names.h"
#include "cli/report/number.h"
#include "cli/report/rows.h"
#include "cli/report/text.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/arithmetic.h"

namespace gprofx {
namespace {

constexpr size_t kUsualRows = 20;
constexpr size_t kPictureRows = 10;  // where CPU and GPU share the screen
constexpr size_t kLongestNameInHint = 40;

const char* Things(By by, size_t count) {
  switch (by) {
    case By::kLine:
      return count == 1 ? "line" : "lines";
    case By::kModule:
      return count == 1 ? "module" : "modules";
    default:
      return count == 1 ? "function" : "functions";
  }
}

// "... 212 more, together 24.2% of 61.4 s CPU time, none above 0.9%; --top 232 shows them"
std::string ElidedText(const Analysis& analysis, const std::vector<Row>& rows, size_t shown) {
  if (rows.size() <= shown) return "";
  int64_t together = 0, largest = 0;
  for (size_t i = shown; i < rows.size(); ++i) {
    together = AddSaturated(together, rows[i].self);
    largest = std::max(largest, rows[i].self);
  }
  const std::string all = std::to_string(rows.size());
  std::vector<std::string> parts = {
      "... " + Grouped(static_cast<int64_t>(rows.size() - shown)) + " more,",
      "together " + OfBase(analysis, together) + " of " + BaseText(analysis) + " self,",
      "none above " + OfBase(analysis, largest) + ";",
      (analysis.options.view == View::kLines ? "--limit " : "--top ") + all + " shows them"};
  return WrapParts(parts.data(), parts.size(), " ", analysis.around.screen.columns, 4) + "\n";
}

// Commands that go on from here, for the function with the largest self time.
std::string NextText(const Analysis& analysis, std::vector<std::string> commands,
                     const std::vector<Row>& rows, const Groups& groups) {
  std::string metric = IsGpuMetric(analysis.metric) ? ShellQuoted(analysis.metric.name) : "";
  if (!metric.empty()) metric.insert(0, " --metric ");
  commands.push_back(CommandText(analysis, "--tree" + metric));
  for (const Row& row : rows) {
    if (row.group == 0 || groups.by != By::kFunction) continue;
    const Label label = LabelOf(analysis.profile, groups, row.group);
    if (label.name.front() == '[' || label.name.front() == '-') continue;
    const std::string name = ShellQuoted(label.name);
    if (name.empty() || name.size() > kLongestNameInHint) continue;
    commands.push_back(CommandText(analysis, "--callers " + name + metric));
    break;
  }
  return HintLines(commands);
}

Table MakeTable(const Analysis& analysis, const std::vector<Row>& rows, size_t shown,
                const Groups& groups) {
  const bool lines = analysis.options.view == View::kLines;
  const std::string share = ShareTitle(analysis);
  Table table(lines ? std::vector<Column>{{"self", Align::kRight},
                                          {share, Align::kRight},
                                          {"total", Align::kRight},
                                          {share, Align::kRight},
                                          {"kind"},
                                          {"line", Align::kLeft, 2, &FitStart},
                                          {"function", Align::kLeft, 2, &ShortenName}}
                    : std::vector<Column>{
                          {"self", Align::kRight},
                          {share, Align::kRight},
                          {"total", Align::kRight},
                          {share, Align::kRight},
                          {"kind"},
                          {groups.by == By::kModule ? "module" : "function", Align::kLeft, 3,
                           groups.by == By::kModule       ? &FitStart
                           : IsGpuMetric(analysis.metric) ? &ShortenKernel
                                                          : &ShortenName},
                          {"seen as", Align::kLeft, 2}});
  const std::string& unit = analysis.metric.unit;
  for (size_t i = 0; i < shown; ++i) {
    const Row& row = rows[i];
    std::vector<std::string> cells = {Amount(row.self, unit), OfBase(analysis, row.self),
                                      Amount(row.total, unit), OfBase(analysis, row.total)};
    if (row.group == 0) {
      cells.insert(cells.end(), {"?", lines ? "[no line]" : "[outside of any function]", ""});
    } else {
      const Label label = LabelOf(analysis.profile, groups, row.group);
      cells.emplace_back(KindWord(label.kind, label.name));
      const std::string name = Printable(label.name);
      if (lines) {
        const std::string line = ":" + std::to_string(label.line);
        cells.push_back(Printable(analysis.options.wide ? label.file + line
                                                        : PlaceText(label.file, label.line)));
        cells.push_back(name);
      } else {
        const bool by_line = groups.by == By::kLine && label.line != 0;
        cells.push_back(by_line ? name + " " + Printable(PlaceText(label.file, label.line)) : name);
        cells.push_back(Printable(row.seen_as
                                      ? SeenAsText(analysis.profile, row.seen_as, label.name)
                                      : PlaceText(label.file, label.line)));
      }
    }
    table.Add(std::move(cells));
  }
  return table;
}

// The table of functions, modules or lines with its title, or why there is none.
std::string RowsText(const Analysis& analysis, const std::vector<Row>& rows, const Groups& groups,
                     size_t usual_rows, const char* lead) {
  if (rows.empty()) {
    return analysis.base == 0 ? "(no samples in this profile)\n"
                              : "(no stack passes the filters)\n";
  }
  const size_t shown = std::min(rows.size(), Limit(analysis, usual_rows));
  std::vector<std::string> title = {lead + ("top " + Grouped(static_cast<int64_t>(shown))) +
                                        " of " + Grouped(static_cast<int64_t>(rows.size())) + " " +
                                        Things(groups.by, rows.size()) + " by self time;",
                                    ShareTitle(analysis) + " = share of " + BaseText(analysis)};
  if (analysis.options.view == View::kLines) {
    title.push_back("(self includes code below that has no line)");
  }
  return WrapParts(title.data(), title.size(), " ", analysis.around.screen.columns, 2) + "\n" +
         MakeTable(analysis, rows, shown, groups)
             .Render(analysis.around.screen, analysis.options.wide) +
         ElidedText(analysis, rows, shown);
}

}  // namespace

std::string PlaceText(std::string_view file, uint32_t line) {
  if (file.empty()) return "";
  std::string text(ShortFile(file));
  if (line != 0) text += ":" + std::to_string(line);
  return text;
}

std::string SeenAsText(const Profile& profile, FrameId line, std::string_view own_name) {
  if (!line) return "";
  const Frame& frame = profile.frame(line);
  std::string text = PlaceText(FrameFile(profile, frame), frame.line);
  const std::string function = FrameName(profile, frame);
  if (function != own_name) text += " " + function;
  return text;
}

std::string TopText(const Analysis& analysis) {
  const bool lines = analysis.options.view == View::kLines;
  const By by = lines || analysis.options.by == RowsBy::kLine ? By::kLine
                : analysis.options.by == RowsBy::kModule      ? By::kModule
                                                              : By::kFunction;
  const Groups groups = GroupFrames(analysis.profile, by, lines);
  const std::vector<Row> rows = lines ? LineRows(analysis.profile, analysis.tree, groups)
                                      : FlatRows(analysis.profile, analysis.tree, groups);
  std::string out;
  std::vector<std::string> hints;
  const bool picture = ShowsGpuPicture(analysis);
  if (picture) {
    const GpuTable gpu = GpuRows(analysis.profile, analysis.request, GpuBy::kKernel);
    out = WallText(analysis) + LanesText(analysis) + KernelsText(analysis, gpu, kPictureRows) + "\n" +
          GpuWaitText(analysis);
    hints = GpuHints(analysis, gpu);
  }
  out += picture ? RowsText(analysis, rows, groups, kPictureRows, "CPU: ")
                 : RowsText(analysis, rows, groups, kUsualRows, "");
  if (lines) {
    const std::string gpu_lines = GpuLinesText(analysis, kUsualRows);
    out += gpu_lines;
    if (!gpu_lines.empty()) {
      hints = GpuHints(analysis, GpuRows(analysis.profile, analysis.request, GpuBy::kKernel));
    }
  }
  if (rows.empty()) return out + HintLines(hints);
  return out + NextText(analysis, std::move(hints), rows, groups);
}

std::string KernelTopText(const Analysis& analysis) {
  if (!analysis.gpu.present) return "(no GPU data in this profile)\n";
  const GpuTable gpu = GpuRows(analysis.profile, analysis.request, GpuBy::kKernel);
  return KernelsText(analysis, gpu, kUsualRows) + HintLines(GpuHints(analysis, gpu));
}

}  // namespace gprofx
