// The display state of gprof-x top and how its keys change it: no terminal, no clock. One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cli/top/snapshot.h"

namespace gprofx {

enum class TopKey {
  kQuit,
  kSort,  // next order
  kNextTable,
  kFunctions,
  kLines,
  kNative,
  kKernels,
  kFocus,  // starts typing the focus
  kPause,
  kDump,
  kHelp,
  kUp,
  kDown,
  kPageUp,
  kPageDown,
  kHome,
  kEnter,   // ends typing
  kEscape,  // ends typing, else clears the focus
  kErase,
};

enum class TopSort { kSelf, kTotal, kSinceStart, kName };

struct TopScreen {
  TopTable table = TopTable::kFunctions;
  TopSort sort = TopSort::kSelf;
  std::string focus;
  bool is_paused = false, is_helping = false, is_typing = false;
  std::string typed;
  std::string message;   // replaces the keys until the next key is pressed
  size_t first_row = 0;  // first table row on the screen
  // Requests of the user that are not performed yet. The code that performs one clears it.
  int quits = 0;
  bool wants_dump = false;

  void Press(TopKey key);
  void Type(std::string_view character);
};

// Maps a key of cli/terminal/full_screen.h; nothing if it is unknown or is typed text.
std::optional<TopKey> TopKeyOf(int key, bool typing);

const char* TableName(TopTable table);  // "functions", "lines", "native", "kernels"
std::optional<TopTable> ParseTable(std::string_view name);
const char* SortName(TopSort sort);  // "self", "total", "since-start", "name"
std::optional<TopSort> ParseSort(std::string_view name);

}  // namespace gprofx
