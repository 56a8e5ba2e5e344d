#include "cli/top/keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/terminal/full_screen.h"

namespace gprofx {
namespace {

constexpr size_t kLongestFocus = 100, kRowsOfPage = 10;
constexpr std::array kTableNames = {"functions", "lines", "native", "kernels"};
constexpr std::array kSortNames = {"self", "total", "since-start", "name"};

void EraseLast(std::string& text) {
  while (text.size() > 1 && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) {
    text.pop_back();
  }
  if (!text.empty()) text.pop_back();
}

template <class Enum, size_t N>
std::optional<Enum> Parse(const std::array<const char*, N>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

const char* TableName(TopTable table) { return kTableNames[static_cast<size_t>(table)]; }
std::optional<TopTable> ParseTable(std::string_view name) {
  return Parse<TopTable>(kTableNames, name);
}
const char* SortName(TopSort sort) { return kSortNames[static_cast<size_t>(sort)]; }
std::optional<TopSort> ParseSort(std::string_view name) { return Parse<TopSort>(kSortNames, name); }

void TopScreen::Type(std::string_view character) {
  if (is_typing && typed.size() < kLongestFocus) typed += character;
}

void TopScreen::Press(TopKey key) {
  if (is_typing) {
    if (key == TopKey::kErase) EraseLast(typed);
    if (key == TopKey::kEnter) focus = typed;
    if (key == TopKey::kEnter || key == TopKey::kEscape) is_typing = false;
    first_row = 0;
    return;
  }
  message.clear();
  const auto show = [this](TopTable chosen) {
    table = chosen;
    first_row = 0;
  };
  switch (key) {
    case TopKey::kQuit:
      ++quits;
      break;
    case TopKey::kSort:
      sort = static_cast<TopSort>((static_cast<size_t>(sort) + 1) % kSortNames.size());
      first_row = 0;
      break;
    case TopKey::kNextTable:
      show(static_cast<TopTable>((static_cast<int>(table) + 1) % kTopTables));
      break;
    case TopKey::kFunctions:
      show(TopTable::kFunctions);
      break;
    case TopKey::kLines:
      show(TopTable::kLines);
      break;
    case TopKey::kNative:
      show(TopTable::kNative);
      break;
    case TopKey::kKernels:
      show(TopTable::kKernels);
      break;
    case TopKey::kFocus:
      is_typing = true;
      typed.clear();
      break;
    case TopKey::kPause:
      is_paused = !is_paused;
      break;
    case TopKey::kDump:
      wants_dump = true;
      break;
    case TopKey::kHelp:
      is_helping = !is_helping;
      break;
    case TopKey::kUp:
      first_row -= std::min<size_t>(first_row, 1);
      break;
    case TopKey::kDown:
      ++first_row;
      break;
    case TopKey::kPageUp:
      first_row -= std::min(first_row, kRowsOfPage);
      break;
    case TopKey::kPageDown:
      first_row += kRowsOfPage;
      break;
    case TopKey::kHome:
      first_row = 0;
      break;
    case TopKey::kEscape:
      if (is_helping) {
        is_helping = false;
      } else {
        focus.clear();
      }
      break;
    case TopKey::kEnter:
    case TopKey::kErase:
      break;
  }
}

std::optional<TopKey> TopKeyOf(int key, bool typing) {
  static constexpr std::pair<int, TopKey> kAlways[] = {
      {kKeyEnter, TopKey::kEnter},   {kKeyEscape, TopKey::kEscape},
      {kKeyErase, TopKey::kErase},   {kKeyInterrupt, TopKey::kQuit},
      {kKeyUp, TopKey::kUp},         {kKeyDown, TopKey::kDown},
      {kKeyPageUp, TopKey::kPageUp}, {kKeyPageDown, TopKey::kPageDown},
      {kKeyHome, TopKey::kHome},
  };
  static constexpr std::pair<int, TopKey> kCharacters[] = {
      {'q', TopKey::kQuit},      {'s', TopKey::kSort},      {'\t', TopKey::kNextTable},
      {'f', TopKey::kFunctions}, {'p', TopKey::kFunctions}, {'l', TopKey::kLines},
      {'n', TopKey::kNative},    {'g', TopKey::kKernels},   {'/', TopKey::kFocus},
      {' ', TopKey::kPause},     {'d', TopKey::kDump},      {'?', TopKey::kHelp},
      {'h', TopKey::kHelp},      {'k', TopKey::kUp},        {'j', TopKey::kDown},
  };
  for (const auto& [code, meaning] : kAlways) {
    if (code == key) return meaning;
  }
  if (typing) return std::nullopt;
  for (const auto& [code, meaning] : kCharacters) {
    if (code == key) return meaning;
  }
  return std::nullopt;
}

}  // namespace gprofx
