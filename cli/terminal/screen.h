// What the output may look like: width and colour, decided once per command from the flag, the
// environment and the stream. Pure functions over an environment that is passed in; DetectScreen()
// is the seam to the process.
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

// The flag decides, then NO_COLOR (not empty), FORCE_COLOR (not empty, not 0), TERM=dumb, then
// whether it is a terminal.
bool UseColor(ColorWhen when, bool is_terminal, const GetEnv& env);

// COLUMNS if it is a number from 40 to 1000, else what the terminal says (0 = unknown), else 80; a
// pipe has 80.
int ScreenColumns(bool is_terminal, int terminal_columns, const GetEnv& env);

Screen DetectScreen(int fd, ColorWhen when);

enum class Ink { kBold, kDim, kGood, kBad, kWarn };
std::string Paint(const Screen& screen, Ink ink,
                  std::string_view text);  // unchanged without colour

// Progress on stderr while something takes long: one line that is rewritten, on a terminal only,
// gone at the end.
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
