#include <algorithm>

#include "cli/report/number.h"
#include "cli/report/text/hints.h"
#include "cli/report/text/text.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/views/code/owners.h"
#include "core/views/naming/names.h"
#include "core/views/page/outline.h"

namespace gprofx {
namespace {

// Default width of the columns to the left of the tree, including the gaps between them.
constexpr int kNumbersWidth = 32;

constexpr char kBeforeSource[] = "): ";

// Returns the name of a node, such as "step (train.py:88)" or "at::native::gemm". If `with_source`
// is set, the text of the line is added: "step (train.py:88): loss.backward()". Only the names of
// kernels are shortened to `columns`.
std::string NodeName(const Page& page, const Groups& groups, uint32_t group, int columns,
                     bool with_source) {
  const Label label = LabelOf(page.view.profile, groups, group);
  if (label.kind == FrameKind::kGpuKernel && groups.by != By::kModule && !page.wide) {
    const FrameId kernel = groups.first[group - 1];
    return FitMiddle(Printable(page.view.kernel_labels.Short(page.view.profile, kernel)), columns);
  }
  std::string text = Printable(label.name);
  const bool has_place =
      label.kind == FrameKind::kPython || label.kind == FrameKind::kGpuInstruction;
  if (has_place && !label.file.empty() && groups.by != By::kModule) {
    text += " (" + Printable(PlaceText(label.file, label.line)) + ")";
    const std::string source = with_source ? SourceOfLine(page, label.file, label.line) : "";
    if (!source.empty()) text.replace(text.size() - 1, 1, kBeforeSource + source);
  }
  return text;
}

// Shortens a name. A Python name ends with its line in parentheses, which must not be taken for
// parameters.
std::string FitName(const std::string& name, int columns) {
  const bool ends = name.ends_with(')') || name.find(kBeforeSource) != std::string::npos;
  const bool place = ends && name.find(".py:") != std::string::npos;
  return place ? FitEnd(name, columns) : ShortenName(name, columns);
}

constexpr size_t kMaxNames = 12, kFewestRows = 5;

// Joins the names of a chain, and breaks the text into lines if needed. Leaves out the middle of a
// very long chain.
std::vector<std::string> ChainLines(std::vector<std::string> names, size_t most, int columns,
                                    bool wide) {
  if (!wide && names.size() > most) {
    const size_t left_out = names.size() - most + 1;
    const auto middle = names.begin() + static_cast<ptrdiff_t>(most / 2);
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

// Returns how many of the last names of a chain with `names` names are shown.
size_t SeenTail(size_t names) { return names > kMaxNames ? kMaxNames - kMaxNames / 2 - 1 : names; }

// Returns the indentation for a depth. From a certain depth on, it contains the depth as a number,
// instead of more blanks.
std::string Indent(int depth, int columns) {
  const int most = std::max(4, columns / 4);
  if (2 * depth <= most) return std::string(static_cast<size_t>(2 * depth), ' ');
  std::string text = "+" + std::to_string(depth) + " ";
  text.insert(0, static_cast<size_t>(std::max(0, most - static_cast<int>(text.size()))), ' ');
  return text;
}

Table TreeTableOf(const Page& page, const char* title) {
  return Table({{"total", Align::kRight},
                {ShareTitle(page), Align::kRight},
                {"self", Align::kRight},
                {"kind"},
                {title, Align::kLeft, 1}});
}

class TreePrinter {
 public:
  explicit TreePrinter(const Page& page)
      : page_(page),
        table_(*page.view.tree),
        callers_(page.view.query.kind == ViewKind::kCallers),
        own_(OwnFrames(page.view.profile)) {}

  // Prints the tree. Unless the query has a limit, prints at most as many rows as the outline may
  // have lines. Long chains take several rows, and the sums of omitted branches take rows, too.
  std::string Print(const char* title) {
    const size_t most =
        page_.wide || page_.view.query.limit ? SIZE_MAX : std::max(table_.most_lines, kFewestRows);
    const auto rows_of = [&](size_t budget) {
      return Rows(title, Shortened(table_.outline, budget));
    };
    size_t fits = 0, fits_not = table_.outline.size();
    if (rows_of(fits_not).rows() <= most) fits = fits_not;
    while (fits + 1 < fits_not) {
      const size_t middle = fits + (fits_not - fits) / 2;
      (rows_of(middle).rows() <= most ? fits : fits_not) = middle;
    }
    const std::string text = rows_of(fits).Render(page_.around.screen, page_.wide);
    return text + Elided();
  }

 private:
  Table Rows(const char* title, const std::vector<OutlineLine>& lines) {
    Table table = TreeTableOf(page_, title);
    above_.clear();
    elided_ = 0;
    // The lines whose children are not all printed yet. After the last child of a line, a row with
    // the sum of its omitted children follows.
    std::vector<size_t> open;
    for (size_t i = 0; i < lines.size(); ++i) {
      while (!open.empty() && lines[open.back()].depth >= lines[i].depth) Close(lines, open, table);
      if (i != 0 || !callers_) AddLine(lines[i], table);
      open.push_back(i);
    }
    while (!open.empty()) Close(lines, open, table);
    return table;
  }

  int Depth(int depth) const { return std::max(0, callers_ ? depth - 1 : depth); }

  int NameColumns(const std::string& indent) const {
    return std::max(16, page_.around.screen.columns - kNumbersWidth - Columns(indent));
  }

  // Shortens a path of callers whose outermost part was already printed. That is useful because
  // different paths to a function often end with the same callers. If at least kWorthIt of the last
  // names of `names` are also the last names of a path above, keeps the first of them and replaces
  // the others by "(as above)". Returns the maximum number of names to print in the line.
  size_t CutCommonTail(std::vector<std::string>& names) {
    constexpr size_t kWorthIt = 3;
    size_t common = 0;
    for (const std::vector<std::string>& above : above_) {
      const auto same = std::mismatch(names.rbegin(), names.rend(), above.rbegin(), above.rend());
      const auto both = static_cast<size_t>(same.first - names.rbegin());
      common = std::max(common, std::min(both, SeenTail(above.size())));
    }
    if (common < kWorthIt) {
      above_.push_back(names);
      return kMaxNames;
    }
    names.resize(names.size() - common + 1);
    names.push_back("(as above)");
    return std::max<size_t>(kMaxNames - common + 2, 4);
  }

  bool IsOwn(uint32_t node) const {
    return own_[table_.groups.first[table_.tree.nodes[node].key - 1].index()] != 0;
  }

  // Replaces the names of three or more successive frames of foreign code by one text: "(7 frames
  // of flask, werkzeug)". The last name of a chain stays, because its children belong to it.
  void FoldForeign(const std::vector<uint32_t>& chain, std::vector<std::string>& names) const {
    constexpr size_t kWorthIt = 3;
    std::vector<std::string> folded;
    // In a list of callers, keep the first name, which is the function that the user asked for.
    if (callers_) folded.push_back(std::move(names[0]));
    for (size_t i = folded.size(); i < chain.size();) {
      size_t end = i;
      while (end + 1 < chain.size() && !IsOwn(chain[end])) ++end;
      if (end - i >= kWorthIt) {
        folded.push_back(FramesOf({chain.begin() + static_cast<ptrdiff_t>(i),
                                   chain.begin() + static_cast<ptrdiff_t>(end)}));
        i = end;
      } else {
        for (end = std::max(end, i + 1); i < end; ++i) folded.push_back(std::move(names[i]));
      }
    }
    names = std::move(folded);
  }

  // Returns the text for folded frames, such as "(7 frames of flask, werkzeug)".
  std::string FramesOf(const std::vector<uint32_t>& nodes) const {
    constexpr size_t kMaxOwners = 3;
    constexpr int kLongest = 20;
    std::vector<std::string> owners;
    for (const uint32_t node : nodes) {
      const FrameId frame = table_.groups.first[table_.tree.nodes[node].key - 1];
      const std::string owner = FitEnd(Printable(OwnerOf(page_.view.profile, frame)), kLongest);
      const bool known = std::find(owners.begin(), owners.end(), owner) != owners.end();
      if (!owner.empty() && !known) owners.push_back(owner);
    }
    std::string text = "(" + std::to_string(nodes.size()) + " frames";
    for (size_t i = 0; i < std::min(owners.size(), kMaxOwners); ++i)
      text += (i == 0 ? " of " : ", ") + owners[i];
    return text + (owners.size() > kMaxOwners ? ", ..)" : ")");
  }

  bool IsOutermost(const OutlineLine& line) const {
    const std::vector<TreeNode>& nodes = table_.tree.nodes;
    const uint32_t last = line.chain.back();
    return std::none_of(nodes.begin() + last, nodes.end(),
                        [=](const TreeNode& node) { return node.parent == last && last != 0; });
  }

  void AddLine(const OutlineLine& line, Table& table) {
    const std::string& unit = page_.view.metric.unit;
    const std::string indent = Indent(Depth(line.depth), page_.around.screen.columns);
    const uint32_t last = table_.tree.nodes[line.chain.back()].key;
    std::string kind;
    std::vector<std::string> texts;
    if (last == 0) {
      texts.push_back(page_.view.query.focus.empty() && page_.view.query.ignore.empty()
                          ? "[all]"
                          : "[all that the filters keep]");
    } else {
      const Label label = LabelOf(page_.view.profile, table_.groups, last);
      kind = KindWord(label.kind, label.name);
      std::vector<std::string> names;
      // Subtract the two columns of a chain's arrow.
      for (const uint32_t node : line.chain) {
        names.push_back(NodeName(page_, table_.groups, table_.tree.nodes[node].key,
                                 NameColumns(indent) - 2, callers_ && IsOwn(node)));
      }
      if (!page_.wide) FoldForeign(line.chain, names);
      size_t most = kMaxNames;
      if (callers_ && !page_.wide && IsOutermost(line)) most = CutCommonTail(names);
      texts = ChainLines(std::move(names), most, NameColumns(indent), page_.wide);
    }
    table.Add({Amount(line.total, unit), OfBase(page_, line.total),
               line.self == 0 ? "" : Amount(line.self, unit), kind, indent + texts[0]});
    const std::string blank(static_cast<size_t>(Columns(indent)), ' ');
    for (size_t i = 1; i < texts.size(); ++i) table.Add({"", "", "", "", blank + texts[i]});
  }

  void Close(const std::vector<OutlineLine>& lines, std::vector<size_t>& open, Table& table) {
    const OutlineLine& line = lines[open.back()];
    open.pop_back();
    if (line.elided == 0) return;
    elided_ += line.elided;
    const std::string indent = Indent(Depth(line.depth + 1), page_.around.screen.columns);
    table.Add({Amount(line.elided_total, page_.view.metric.unit), OfBase(page_, line.elided_total),
               "", "", indent + "... " + Grouped(static_cast<int64_t>(line.elided)) + " more"});
  }

  std::string Elided() const {
    if (elided_ == 0) return "";
    const size_t more = std::max<size_t>(4 * table_.most_lines, 100);
    return "... = branches that are left out, with their sum; --limit " + std::to_string(more) +
           " shows more\n";
  }

  const Page& page_;
  const TreeTable& table_;
  bool callers_;
  const std::vector<uint8_t> own_;               // by FrameId::index()
  std::vector<std::vector<std::string>> above_;  // paths of callers that were printed above
  size_t elided_ = 0;
};

// Returns a hint about the metric of GPU time if the user asks for the callers of kernels, which
// take no CPU time.
std::string GpuTimeHint(const Page& page) {
  const View& view = page.view;
  if (!view.query.metric.empty()) return "";
  for (const uint32_t target : view.tree->targets) {
    const FrameKind kind = LabelOf(view.profile, view.tree->groups, target).kind;
    const bool waits = kind == FrameKind::kCudaApi;
    if (!waits && kind != FrameKind::kGpuKernel && kind != FrameKind::kGpuCopy) continue;
    const std::string name = ShellQuoted(view.query.callers_of);
    if (name.empty()) return "";
    const char* metric = waits ? kMetricGpuWait : kMetricGpu;
    return HintLines({CommandText(page, std::string("--metric ") + metric + " --callers " + name)});
  }
  return "";
}

std::string Title(const Page& page, const std::string& what) {
  return Wrapped(page, {what, ShareTitle(page) + " = total as share of " + BaseText(page)}, 2);
}

}  // namespace

std::string TreeText(const Page& page) {
  if (page.view.tree->tree.nodes[0].total == 0) {
    return page.view.base == 0 ? "(no samples in this profile)\n"
                               : "(no stack passes the filters)\n";
  }
  return Title(page,
               "call tree, largest first; a line is called by the line it is indented under;") +
         TreePrinter(page).Print("call tree") + HintLines({CommandText(page, "--top")});
}

std::string CallersText(const Page& page) {
  if (page.view.tree->tree.nodes[0].total == 0) {
    const std::string hint = GpuTimeHint(page);
    return hint.empty() ? "(no stack passes the filters)\n"
                        : "(no " + WholeName(page.view.metric) + " there)\n" + hint;
  }
  return Title(page, "callers of " + FitEnd(Printable(page.view.query.callers_of), 60) +
                         ": a line calls the line it is indented under;") +
         TreePrinter(page).Print("called by");
}

}  // namespace gprofx
