#include "cli/terminal/table.h"

#include <algorithm>
#include <utility>

#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr int kGap = 2;       // blanks between columns
constexpr int kMinFlex = 10;  // minimum width of a flexible column
// Maximum of a flexible column's minimum width. The minimum width is large enough for the places in
// the column (PlaceIn).
constexpr int kMaxPlace = 18;

// Pads `text` to `width`. The caller removes trailing blanks of a line.
std::string Pad(std::string_view text, int width, Align align) {
  const size_t blanks = static_cast<size_t>(std::max(0, width - Columns(text)));
  std::string out;
  if (align == Align::kRight) out.append(blanks, ' ');
  out += text;
  if (align == Align::kLeft) out.append(blanks, ' ');
  return out;
}

void EndLine(std::string& line, std::string& out) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line;
  out += '\n';
  line.clear();
}

}  // namespace

void Table::Add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

int Table::Least(size_t column) const {
  if (columns_[column].shorten != &FitPlace) return kMinFlex;
  int least = kMinFlex;
  for (const auto& row : rows_) least = std::max(least, Columns(PlaceIn(row[column])));
  return std::min(least, kMaxPlace);
}

std::vector<int> Table::Widths(int screen_columns, bool wide) const {
  std::vector<int> widths;
  int fixed = kGap * (static_cast<int>(columns_.size()) - 1), weights = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    int width = Columns(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, Columns(row[i]));
    widths.push_back(width);
    if (columns_[i].weight == 0) fixed += width;
    weights += columns_[i].weight;
  }
  if (wide) return widths;

  // If a column needs less than its share, the other columns get the rest.
  int room = screen_columns - fixed;
  std::vector<bool> settled(columns_.size());
  for (bool changed = true; changed && weights > 0;) {
    changed = false;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const int weight = columns_[i].weight;
      if (weight == 0 || settled[i] || widths[i] * weights > room * weight) continue;
      settled[i] = changed = true;
      room -= widths[i];
      weights -= weight;
    }
  }
  std::vector<int> least(columns_.size());
  int needed = 0, open = 0;  // totals over the columns that still share the space
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].weight == 0 || settled[i]) continue;
    needed += least[i] = Least(i);
    ++open;
  }
  if (needed > room) {
    least.assign(columns_.size(), kMinFlex);
    needed = open * kMinFlex;
  }
  for (size_t i = 0; i < columns_.size(); ++i) {
    const int weight = columns_[i].weight;
    if (weight == 0 || settled[i]) continue;
    needed -= least[i];
    const int share = std::min(room * weight / weights, room - needed);
    widths[i] = std::min(widths[i], std::max(least[i], share));
    room -= widths[i];
    weights -= weight;
  }
  return widths;
}

std::string Table::Render(const Screen& screen, bool wide) const {
  const std::vector<int> widths = Widths(screen.columns, wide);
  std::string out, line;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (i != 0) line.append(kGap, ' ');
    line += Pad(FitEnd(columns_[i].title, widths[i]), widths[i], columns_[i].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += Paint(screen, Ink::kBold, line) + "\n";
  line.clear();
  for (const auto& row : rows_) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i != 0) line.append(kGap, ' ');
      const auto shorten = columns_[i].shorten != nullptr ? columns_[i].shorten : &FitEnd;
      const bool cut = Columns(row[i]) > widths[i];
      line += Pad(cut ? shorten(row[i], widths[i]) : row[i], widths[i], columns_[i].align);
    }
    EndLine(line, out);
  }
  return out;
}

}  // namespace gprofx
