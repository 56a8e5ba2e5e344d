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

std::optional<ColorWhen> ParseColorWhen(std::string_view text);  // auto, always, never

// Returns whether to use color. The first of these decides: the option; NO_COLOR (if not empty);
// FORCE_COLOR (if not empty and not 0); TERM=dumb; whether the output is a terminal.
bool UseColor(ColorWhen when, bool is_terminal, const GetEnv& env);

// Returns the width of the output: COLUMNS if it is a number from 40 to 1000, otherwise that of the
// terminal. 80 if the terminal's width is unknown (0), and for a pipe.
int ScreenColumns(bool is_terminal, int terminal_columns, const GetEnv& env);

Screen DetectScreen(int fd, ColorWhen when);

enum class Ink { kBold, kDim, kGood, kBad, kWarn };
std::string Paint(const Screen& screen, Ink ink,
                  std::string_view text);  // without color: returns `text` unchanged

// Shows the progress of a long operation on a terminal: one line that is rewritten, and erased at
// the end.
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
