// Holds the state of gprof-x top's display, and changes it when a key is pressed. Uses no terminal
// and no clock. One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cli/top/snapshot.h"

namespace gprofx {

enum class TopKey {
  kQuit,
  kSort,  // sorts by the next value
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
  kEscape,  // ends typing; if nothing is typed, clears the focus
  kErase,
};

enum class TopSort { kSelf, kTotal, kSinceStart, kName };

struct TopScreen {
  TopTable table = TopTable::kFunctions;
  TopSort sort = TopSort::kSelf;
  std::string focus;
  bool is_paused = false, is_helping = false, is_typing = false;
  std::string typed;
  std::string message;   // shown in place of the keys, until the next key is pressed
  size_t first_row = 0;  // first table row on the screen
  // Requests of the user. The code that carries out a request clears it.
  int quits = 0;
  bool wants_dump = false;

  void Press(TopKey key);
  void Type(std::string_view character);
};

// Returns the key of top for a key of cli/terminal/full_screen.h. Returns nullopt if the key has no
// meaning, or if it is text that the user types.
std::optional<TopKey> TopKeyOf(int key, bool typing);

const char* TableName(TopTable table);  // "functions", "lines", "native", "kernels"
std::optional<TopTable> ParseTable(std::string_view name);
const char* SortName(TopSort sort);  // "self", "total", "since-start", "name"
std::optional<TopSort> ParseSort(std::string_view name);

}  // namespace gprofx
