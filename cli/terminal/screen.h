// Determines the width and the color of the output once per command, from the options, the
// environment and the stream. All functions are pure, except DetectScreen() and ProgressLine.
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

std::optional<ColorWhen> ParseColorWhen(std::string_view text);  // "auto", "always" or "never"

// Returns whether to use color. The first of these that applies decides:
//  1. the option, if it is not "auto",
//  2. NO_COLOR, if it is not empty,
//  3. FORCE_COLOR, if it is not empty and not 0,
//  4. TERM=dumb,
//  5. whether the output is a terminal.
bool UseColor(ColorWhen when, bool is_terminal, const GetEnv& env);

// Returns the width of the output. That is COLUMNS if it is a number from 40 to 1000, otherwise the
// width of the terminal. It is 80 for a pipe, and if the terminal's width is unknown (0).
int ScreenColumns(bool is_terminal, int terminal_columns, const GetEnv& env);

Screen DetectScreen(int fd, ColorWhen when);

enum class Ink { kBold, kDim, kGood, kBad, kWarn };
std::string Paint(const Screen& screen, Ink ink,
                  std::string_view text);  // without color, returns `text` unchanged

// Shows the progress of a long operation on a terminal. It is one line, which is rewritten and
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
