#include "cli/report/interactive/browser.h"

#include <algorithm>

#include "cli/report/number.h"
#include "cli/terminal/text.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

constexpr size_t kLongestSearch = 100;

bool ContainsText(const std::string& text, const std::string& part) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

}  // namespace

Browser::Browser(const Profile& profile, Query query, ReadSource source)
    : profile_(profile), query_(std::move(query)), source_(std::move(source)) {
  query_.kind = ViewKind::kTree;
  Load();
}

void Browser::Load() {
  Result<View> view = BuildView(profile_, query_);
  if (!view) {  // the query was valid before, so the cause is the new metric
    message_ = view.error().TextWithId();
    return;
  }
  view_.emplace(std::move(*view));
  metrics_.clear();
  for (size_t i = 0; i < profile_.metrics.size(); ++i) {
    if (view_->sums[i] > 0) metrics_.push_back(profile_.metrics[i].name);
  }
  children_ = ChildrenOf(view_->tree->tree);
  open_.assign(view_->tree->tree.nodes.size(), false);
  open_[0] = true;
  cursor_ = top_ = 0;
  Arrange();
}

void Browser::Arrange() {
  const std::vector<TreeNode>& nodes = view_->tree->tree.nodes;
  const uint32_t selected = cursor_ < shown_.size() ? shown_[cursor_].node : 0;
  const auto before = [&](uint32_t a, uint32_t b) {
    if (sort_ == Sort::kName) {
      const std::string name = Name(a), other = Name(b);
      if (name != other) return name < other;
    }
    const int64_t va = sort_ == Sort::kSelf ? nodes[a].self : nodes[a].total;
    const int64_t vb = sort_ == Sort::kSelf ? nodes[b].self : nodes[b].total;
    return va != vb ? va > vb : a < b;
  };
  shown_.clear();
  std::vector<Shown> stack = {{0, 0}};
  while (!stack.empty()) {
    const Shown line = stack.back();
    stack.pop_back();
    shown_.push_back(line);
    if (!open_[line.node]) continue;
    std::vector<uint32_t> below;
    for (uint32_t i = children_.begin[line.node]; i < children_.begin[line.node + 1]; ++i) {
      if (nodes[children_.list[i]].total != 0) below.push_back(children_.list[i]);
    }
    std::sort(below.begin(), below.end(), before);
    for (auto child = below.rbegin(); child != below.rend(); ++child) {
      stack.push_back({*child, line.depth + 1});
    }
  }
  if (selected < nodes.size()) Select(selected);
}

void Browser::Select(uint32_t node) {
  const auto found = std::find_if(shown_.begin(), shown_.end(),
                                  [&](const Shown& line) { return line.node == node; });
  cursor_ = found == shown_.end() ? 0 : static_cast<size_t>(found - shown_.begin());
}

void Browser::OpenPathTo(uint32_t node) {
  const std::vector<TreeNode>& nodes = view_->tree->tree.nodes;
  for (uint32_t up = node; up != 0; up = nodes[up].parent) open_[nodes[up].parent] = true;
}

// Selects the next match. Searches the nodes after the selected one in tree order, then those from
// the start.
void Browser::FindNext() {
  if (search_.empty()) return;
  const std::vector<TreeNode>& nodes = view_->tree->tree.nodes;
  const uint32_t start = shown_[cursor_].node;
  for (size_t step = 1; step <= nodes.size(); ++step) {
    const auto node = static_cast<uint32_t>((start + step) % nodes.size());
    if (node == 0 || nodes[node].total == 0 || !ContainsText(Name(node), search_)) continue;
    OpenPathTo(node);
    Arrange();
    Select(node);
    message_ = node == start ? "the only match" : "";
    return;
  }
  message_ = "not found: " + search_;
}

void Browser::Type(std::string_view character) {
  if (typing_ && search_.size() < kLongestSearch) search_ += character;
}

void Browser::Press(BrowserKey key) {
  if (typing_) {
    if (key == BrowserKey::kErase && !search_.empty()) {
      while (search_.size() > 1 && (static_cast<unsigned char>(search_.back()) & 0xC0) == 0x80) {
        search_.pop_back();
      }
      search_.pop_back();
    }
    if (key == BrowserKey::kEnter || key == BrowserKey::kEscape) typing_ = false;
    if (key == BrowserKey::kEnter) FindNext();
    return;
  }
  message_.clear();
  const uint32_t node = shown_[cursor_].node;
  const std::vector<TreeNode>& nodes = view_->tree->tree.nodes;
  const size_t last = shown_.size() - 1;
  switch (key) {
    case BrowserKey::kUp:
      cursor_ -= cursor_ > 0 ? 1 : 0;
      break;
    case BrowserKey::kDown:
      cursor_ = std::min(last, cursor_ + 1);
      break;
    case BrowserKey::kPageUp:
      cursor_ -= std::min(cursor_, page_);
      break;
    case BrowserKey::kPageDown:
      cursor_ = std::min(last, cursor_ + page_);
      break;
    case BrowserKey::kHome:
      cursor_ = 0;
      break;
    case BrowserKey::kEnd:
      cursor_ = last;
      break;
    case BrowserKey::kOpen:
    case BrowserKey::kEnter:
      if (open_[node]) {
        cursor_ = std::min(last, cursor_ + 1);
      } else {
        open_[node] = true;
        Arrange();
      }
      break;
    case BrowserKey::kClose: {
      const bool opened = open_[node] && node != 0;
      open_[node] = open_[node] && !opened;
      Arrange();
      if (!opened) Select(nodes[node].parent);
      break;
    }
    case BrowserKey::kOpenHot: {
      uint32_t hot = node;
      for (bool more = true; more;) {
        open_[hot] = true;
        more = false;
        uint32_t best = 0;
        for (uint32_t i = children_.begin[hot]; i < children_.begin[hot + 1]; ++i) {
          const uint32_t child = children_.list[i];
          if (best == 0 || nodes[child].total > nodes[best].total) best = child;
        }
        // Continue with this child if it has more than half of its parent's time.
        if (best != 0 && nodes[best].total > nodes[hot].total / 2) hot = best, more = true;
      }
      Arrange();
      Select(hot);
      break;
    }
    case BrowserKey::kSearch:
      typing_ = true;
      search_.clear();
      break;
    case BrowserKey::kNext:
      FindNext();
      break;
    case BrowserKey::kSort:
      sort_ = sort_ == Sort::kTotal  ? Sort::kSelf
              : sort_ == Sort::kSelf ? Sort::kName
                                     : Sort::kTotal;
      Arrange();
      break;
    case BrowserKey::kMetric: {
      const auto found = std::find(metrics_.begin(), metrics_.end(), view_->metric.name);
      if (metrics_.empty() || found == metrics_.end()) break;
      query_.metric = found + 1 == metrics_.end() ? metrics_.front() : *(found + 1);
      shown_.clear();
      Load();
      break;
    }
    case BrowserKey::kSource:
      with_source_ = !with_source_;
      break;
    case BrowserKey::kQuit:
      done_ = true;
      break;
    case BrowserKey::kEscape:
    case BrowserKey::kErase:
      break;
  }
}

std::string Browser::Name(uint32_t node) const {
  if (node == 0) return "[all]";
  const TreeTable& table = *view_->tree;
  const uint32_t group = table.tree.nodes[node].key;
  const Label label = LabelOf(profile_, table.groups, group);
  if (label.kind == FrameKind::kGpuKernel && table.groups.by != By::kModule) {
    return Printable(view_->kernel_labels.Short(profile_, table.groups.first[group - 1]));
  }
  std::string name = Printable(label.name);
  if (label.kind == FrameKind::kPython && label.line != 0) {
    name += " (" + Printable(ShortFile(label.file)) + ":" + std::to_string(label.line) + ")";
  }
  return name;
}

std::string Browser::TreeLine(const Shown& line, int columns) const {
  const TreeNode& node = view_->tree->tree.nodes[line.node];
  const bool has_children = children_.begin[line.node] != children_.begin[line.node + 1];
  const auto right = [](std::string text, size_t width) {
    return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
  };
  const std::string& unit = view_->metric.unit;
  const double total = static_cast<double>(node.total), base = static_cast<double>(view_->base);
  std::string text = right(Amount(node.total, unit), 10) + " " + right(Percent(total, base), 6) +
                     " " + right(node.self == 0 ? "" : Amount(node.self, unit), 10) + "  ";
  const int indent = std::min(2 * line.depth, std::max(0, columns / 3));
  text += std::string(static_cast<size_t>(indent), ' ');
  text += !has_children ? "  " : open_[line.node] ? "- " : "+ ";
  return FitEnd(text + Name(line.node), columns);
}

std::vector<BrowserLine> Browser::SourceLines(size_t rows, int columns) const {
  const uint32_t group = view_->tree->tree.nodes[shown_[cursor_].node].key;
  const Label label = LabelOf(profile_, view_->tree->groups, group);
  std::vector<BrowserLine> lines;
  const std::string place = label.file.empty() || label.line == 0
                                ? "no source line here"
                                : Printable(label.file) + ":" + std::to_string(label.line);
  lines.push_back({FitPlace(place, columns), BrowserInk::kTitle});
  if (!label.file.empty() && label.line != 0) {
    const std::optional<std::string> text = source_(label.file);
    if (!text) {
      lines.push_back({FitEnd("(the recording does not hold this source)", columns)});
    }
    const size_t room = rows - 1, half = room / 2;
    const size_t first = label.line > half ? label.line - half : 1;
    size_t number = 1, begin = 0;
    while (text && begin < text->size() && number < first + room) {
      const size_t end = std::min(text->find('\n', begin), text->size());
      if (number >= first) {
        const std::string digits = std::to_string(number);
        const std::string blanks(digits.size() < 6 ? 6 - digits.size() : 0, ' ');
        std::string code;
        for (const char c : std::string_view(*text).substr(begin, end - begin)) {
          code += c == '\t' ? std::string("    ") : std::string(1, c);
        }
        lines.push_back({FitEnd(blanks + digits + "  " + Printable(code), columns),
                         number == label.line ? BrowserInk::kFound : BrowserInk::kPlain});
      }
      begin = end + 1;
      ++number;
    }
  }
  lines.resize(rows);
  return lines;
}

std::string Browser::KeysText(int columns) const {
  if (typing_) return FitStart("search: " + Printable(search_) + "_", columns);
  if (!message_.empty()) return FitEnd(Printable(message_), columns);
  const char* sort = sort_ == Sort::kTotal ? "total" : sort_ == Sort::kSelf ? "self" : "name";
  const std::string rest =
      "  h hottest  / search  n next  s sort: " + std::string(sort) + "  m metric  v source";
  const std::string whole = "q quit  arrows move, open, close" + rest;
  return FitEnd(Columns(whole) <= columns ? whole : "q quit  arrows" + rest, columns);
}

std::vector<BrowserLine> Browser::Draw(int rows, int columns) {
  columns = std::max(columns, 20);
  const size_t room = static_cast<size_t>(std::max(rows, 4)) - 2;
  const size_t source = with_source_ ? room / 2 : 0;
  page_ = room - source;
  if (cursor_ < top_) top_ = cursor_;
  if (cursor_ >= top_ + page_) top_ = cursor_ - page_ + 1;
  std::vector<BrowserLine> lines;
  const std::string& metric = view_->metric.name;
  lines.push_back({FitEnd("     total      %       self  call tree, " + Printable(metric) +
                              ", 100% = " + Amount(view_->base, view_->metric.unit),
                          columns),
                   BrowserInk::kTitle});
  for (size_t i = top_; i < std::min(shown_.size(), top_ + page_); ++i) {
    const bool found = !search_.empty() && ContainsText(Name(shown_[i].node), search_);
    lines.push_back({TreeLine(shown_[i], columns), i == cursor_ ? BrowserInk::kSelected
                                                   : found      ? BrowserInk::kFound
                                                                : BrowserInk::kPlain});
  }
  lines.resize(1 + page_);
  if (source > 0) {
    for (BrowserLine& line : SourceLines(source, columns)) lines.push_back(std::move(line));
  }
  lines.push_back({KeysText(columns), BrowserInk::kKeys});
  lines.resize(static_cast<size_t>(std::max(rows, 4)));
  return lines;
}

}  // namespace gprofx
