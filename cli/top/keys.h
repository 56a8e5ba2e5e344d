// What gprof-x top shows and how, and what its keys change: no terminal, no clock. One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cli/top/snapshot.h"

namespace gprofx {

enum class TopKey {
  kQuit,
  kSort,  // the next order
  kNextTable,
  kFunctions,
  kLines,
  kNative,
  kKernels,
  kFocus,  // what is typed next is the focus
  kPause,
  kDump,
  kHelp,
  kUp,
  kDown,
  kPageUp,
  kPageDown,
  kHome,
  kEnter,   // ends typing
  kEscape,  // ends typing, else the focus
  kErase,
};

enum class TopSort { kSelf, kTotal, kSinceStart, kName };

struct TopScreen {
  TopTable table = TopTable::kFunctions;
  TopSort sort = TopSort::kSelf;
  std::string focus;
  bool is_paused = false, is_helping = false, is_typing = false;
  std::string typed;
  std::string message;   // instead of the keys, until the next one is pressed
  size_t first_row = 0;  // of the table, on the screen
  // What was asked for and is still to be done; who does it clears it.
  int quits = 0;
  bool wants_dump = false;

  void Press(TopKey key);
  void Type(std::string_view character);
};

// Of a key of cli/terminal/full_screen.h; nothing: it is not one of ours, or what is typed.
std::optional<TopKey> TopKeyOf(int key, bool typing);

const char* TableName(TopTable table);  // "functions", "lines", "native", "kernels"
std::optional<TopTable> ParseTable(std::string_view name);
const char* SortName(TopSort sort);  // "self", "total", "since-start", "name"
std::optional<TopSort> ParseSort(std::string_view name);

}  // namespace gprofx
