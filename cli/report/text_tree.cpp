#include <algorithm>

#include "cli/report/callers.h"
#include "cli/report/gpu_names.h"
#include "cli/report/names.h"
#include "cli/report/number.h"
#include "cli/report/outline.h"
#include "cli/report/text.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr size_t kUsualLines = 60;
constexpr size_t kMostCallerNodes = 10'000;
constexpr double kSmallestShare =
    0.001;                         // of the whole; smaller nodes are summed unless a limit is given
constexpr int kNumbersWidth = 32;  // the columns left of the tree and their gaps, in the usual case

struct Names {
  const Analysis& analysis;
  const Groups& groups;

  // "step (train.py:88)" or "at::native::gemm"; kernels get the columns that they may have.
  std::string Of(uint32_t group, int columns) const {
    const Label label = LabelOf(analysis.profile, groups, group);
    std::string text = Printable(label.name);
    if (label.kind == FrameKind::kGpuKernel && !analysis.options.wide) {
      return ShortenKernel(BareKernel(text), columns);
    }
    const bool has_place =
        label.kind == FrameKind::kPython || label.kind == FrameKind::kGpuInstruction;
    if (has_place && !label.file.empty() && groups.by != By::kModule) {
      text += " (" + Printable(ShortFile(label.file));
      if (label.line != 0) text += ":" + std::to_string(label.line);
      text += ")";
    }
    return text;
  }
};

// Python names carry a place in parentheses that must not be taken for parameters.
std::string FitName(const std::string& name, int columns) {
  const bool place = !name.empty() && name.back() == ')' && name.find(".py:") != std::string::npos;
  return place ? FitEnd(name, columns) : ShortenName(name, columns);
}

// The names of a chain, broken into lines where it must be; of a very long one the middle is left
// out.
std::vector<std::string> ChainLines(std::vector<std::string> names, int columns, bool wide) {
  constexpr size_t kMostNames = 12;
  if (!wide && names.size() > kMostNames) {
    const size_t left_out = names.size() - kMostNames + 1;
    const auto middle = names.begin() + kMostNames / 2;
    *middle = "(" + std::to_string(left_out) + " more)";
    names.erase(middle + 1, middle + static_cast<ptrdiff_t>(left_out));
  }
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    const std::string arrow = lines.empty() ? "" : "> ";
    const std::string text = arrow + (wide ? name : FitName(name, columns - 2));
    if (!lines.empty() && (wide || Columns(lines.back()) + 1 + Columns(text) <= columns)) {
      lines.back() += " " + text;
    } else {
      lines.push_back(text);
    }
  }
  return lines;
}

// Deep trees would leave the screen: from a depth on, its number stands for the blanks.
std::string Indent(int depth, int columns) {
  const int most = std::max(4, columns / 4);
  if (2 * depth <= most) return std::string(static_cast<size_t>(2 * depth), ' ');
  std::string text = "+" + std::to_string(depth) + " ";
  text.insert(0, static_cast<size_t>(std::max(0, most - static_cast<int>(text.size()))), ' ');
  return text;
}

Table TreeTable(const Analysis& analysis, const char* title) {
  return Table({{"total", Align::kRight},
                {ShareTitle(analysis), Align::kRight},
                {"self", Align::kRight},
                {"kind"},
                {title, Align::kLeft, 1}});
}

class TreePrinter {
 public:
  TreePrinter(const Analysis& analysis, const Groups& groups, const CallTree& tree, bool callers)
      : analysis_(analysis), names_{analysis, groups}, tree_(tree), callers_(callers) {}

  std::string Print(const char* title) {
    const size_t budget = Limit(analysis_, kUsualLines);
    const bool limited = analysis_.options.limit.has_value();
    const auto smallest =
        limited ? int64_t{1}
                : static_cast<int64_t>(kSmallestShare * static_cast<double>(analysis_.base));
    const std::vector<OutlineLine> lines = MakeOutline(tree_, budget, smallest);
    Table table = TreeTable(analysis_, title);
    // What a line leaves out stands below its last child: at the end of its block.
    std::vector<size_t> open;
    for (size_t i = 0; i < lines.size(); ++i) {
      while (!open.empty() && lines[open.back()].depth >= lines[i].depth) Close(lines, open, table);
      if (i != 0 || !callers_) AddLine(lines[i], table);
      open.push_back(i);
    }
    while (!open.empty()) Close(lines, open, table);
    return table.Render(analysis_.around.screen, analysis_.options.wide) + Elided();
  }

 private:
  int Depth(int depth) const { return std::max(0, callers_ ? depth - 1 : depth); }

  int Room(const std::string& indent) const {
    return std::max(16, analysis_.around.screen.columns - kNumbersWidth - Columns(indent));
  }

  void AddLine(const OutlineLine& line, Table& table) const {
    const std::string& unit = analysis_.metric.unit;
    const std::string indent = Indent(Depth(line.depth), analysis_.around.screen.columns);
    const uint32_t last = tree_.nodes[line.chain.back()].key;
    std::string kind;
    std::vector<std::string> texts;
    if (last == 0) {
      texts.push_back(analysis_.options.focus.empty() && analysis_.options.ignore.empty()
                          ? "[all]"
                          : "[all that the filters keep]");
    } else {
      const Label label = LabelOf(analysis_.profile, names_.groups, last);
      kind = KindWord(label.kind, label.name);
      std::vector<std::string> names;
      // The arrow of a chain takes two columns.
      for (const uint32_t node : line.chain) {
        names.push_back(names_.Of(tree_.nodes[node].key, Room(indent) - 2));
      }
      texts = ChainLines(std::move(names), Room(indent), analysis_.options.wide);
    }
    table.Add({Amount(line.total, unit), OfBase(analysis_, line.total),
               line.self == 0 ? "" : Amount(line.self, unit), kind, indent + texts[0]});
    const std::string blank(static_cast<size_t>(Columns(indent)), ' ');
    for (size_t i = 1; i < texts.size(); ++i) table.Add({"", "", "", "", blank + texts[i]});
  }

  void Close(const std::vector<OutlineLine>& lines, std::vector<size_t>& open, Table& table) {
    const OutlineLine& line = lines[open.back()];
    open.pop_back();
    if (line.elided == 0) return;
    elided_ += line.elided;
    const std::string indent = Indent(Depth(line.depth + 1), analysis_.around.screen.columns);
    table.Add({Amount(line.elided_total, analysis_.metric.unit),
               OfBase(analysis_, line.elided_total), "", "",
               indent + "... " + Grouped(static_cast<int64_t>(line.elided)) + " more"});
  }

  std::string Elided() const {
    if (elided_ == 0) return "";
    const size_t more = std::max<size_t>(4 * Limit(analysis_, kUsualLines), 100);
    return "... = branches that are left out, with their sum; --limit " + std::to_string(more) +
           " shows more\n";
  }

  const Analysis& analysis_;
  Names names_;
  const CallTree& tree_;
  bool callers_;
  size_t elided_ = 0;
};

By TreeGrouping(RowsBy by) {
  switch (by) {
    case RowsBy::kFunction:
      return By::kFunction;
    case RowsBy::kLine:
      return By::kLine;
    case RowsBy::kModule:
      return By::kModule;
    default:
      return By::kCallSite;
  }
}

// Kernels take no CPU time: their callers are asked for in another metric.
std::string GpuTimeHint(const Analysis& analysis, const std::vector<uint32_t>& targets,
                        const Groups& groups) {
  if (!analysis.options.metric.empty()) return "";
  for (const uint32_t target : targets) {
    const FrameKind kind = LabelOf(analysis.profile, groups, target).kind;
    const bool waits = kind == FrameKind::kCudaApi;
    if (!waits && kind != FrameKind::kGpuKernel && kind != FrameKind::kGpuCopy) continue;
    const std::string name = ShellQuoted(analysis.options.callers_of);
    if (name.empty()) return "";
    const std::string command = CommandText(
        analysis, "--callers " + name + " --metric " + (waits ? kMetricGpuWait : kMetricGpu));
    return HintLines({command});
  }
  return "";
}

std::string Title(const Analysis& analysis, const std::string& what) {
  std::vector<std::string> parts = {
      what, ShareTitle(analysis) + " = total as share of " + BaseText(analysis)};
  return WrapParts(parts.data(), parts.size(), " ", analysis.around.screen.columns, 2) + "\n";
}

}  // namespace

std::string TreeText(const Analysis& analysis) {
  const Groups groups = GroupFrames(analysis.profile, TreeGrouping(analysis.options.by), false);
  const CallTree tree = Regroup(analysis.tree, groups.of_frame);
  if (tree.nodes[0].total == 0) {
    return analysis.base == 0 ? "(no samples in this profile)\n"
                              : "(no stack passes the filters)\n";
  }
  std::string next = CommandText(analysis, "--top");
  return Title(analysis,
               "call tree, largest first; a line is called by the line it is indented under;") +
         TreePrinter(analysis, groups, tree, false).Print("call tree") +
         (next.empty() ? "" : "Next: " + next + "\n");
}

Result<std::string> CallersText(const Analysis& analysis) {
  const std::string& name = analysis.options.callers_of;
  const Groups groups = GroupFrames(analysis.profile, TreeGrouping(analysis.options.by), false);
  const std::vector<uint32_t> targets = FindGroups(analysis.profile, groups, name);
  if (targets.empty()) {
    return Error{"no function '" + FitEnd(Printable(name), 60) + "' in this profile",
                 "'gprof-x report --top' lists the names"};
  }
  const CallTree tree = CallerTree(analysis.tree, groups, targets, kMostCallerNodes);
  if (tree.nodes[0].total == 0) {
    const std::string hint = GpuTimeHint(analysis, targets, groups);
    return hint.empty() ? "(no stack passes the filters)\n"
                        : "(no " + WholeName(analysis.metric) + " there)\n" + hint;
  }
  return Title(analysis, "callers of " + FitEnd(Printable(name), 60) +
                             ": a line calls the line it is indented under;") +
         TreePrinter(analysis, groups, tree, true).Print("called by");
}

}  // namespace gprofx
