// Width and color of the output, decided once per command from the option, the environment and the
// stream. Pure functions over an environment that is passed in; only DetectScreen() accesses the
// process.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gprofx {

enum class ColorWhen { kAuto, kAlways, kNever };

struct Screen {
  int columns = 120;
  bool color = false;
};

using GetEnv = std::function<const char*(const char*)>;

std::optional<ColorWhen> ParseColorWhen(std::string_view text);  // auto, always, never

// Decided by, in this order: the option, NO_COLOR (not empty), FORCE_COLOR (not empty, not 0),
// TERM=dumb, whether the output is a terminal.
bool UseColor(ColorWhen when, bool is_terminal, const GetEnv& env);

// Returns COLUMNS if it is a number from 40 to 1000, else the terminal's columns (0 = unknown),
// else 80; a pipe has 80.
int ScreenColumns(bool is_terminal, int terminal_columns, const GetEnv& env);

Screen DetectScreen(int fd, ColorWhen when);

enum class Ink { kBold, kDim, kGood, kBad, kWarn };
std::string Paint(const Screen& screen, Ink ink,
                  std::string_view text);  // unchanged without color

// Progress on stderr during a long operation: one line that is rewritten, only on a terminal,
// erased at the end.
class ProgressLine {
 public:
  explicit ProgressLine(int fd);  // does nothing unless `fd` is a terminal
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void Show(std::string_view text);

 private:
  int fd_;
  bool active_;
  bool shown_ = false;
};

}  // namespace gprofx
