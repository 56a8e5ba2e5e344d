#include "cli/terminal/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "cli/terminal/text.h"
#include "core/base/file_io.h"

namespace gprofx {
namespace {

std::string_view EnvText(const GetEnv& env, const char* name) {
  const char* value = env(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// Writes text and ignores errors, because the progress line is optional.
void Put(int fd, std::string_view text) { WriteAll(fd, text.data(), text.size()); }

int TerminalColumns(int fd) {
  winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

std::optional<ColorWhen> ParseColorWhen(std::string_view text) {
  if (text == "auto") return ColorWhen::kAuto;
  if (text == "always") return ColorWhen::kAlways;
  if (text == "never") return ColorWhen::kNever;
  return std::nullopt;
}

bool UseColor(ColorWhen when, bool is_terminal, const GetEnv& env) {
  if (when != ColorWhen::kAuto) return when == ColorWhen::kAlways;
  if (!EnvText(env, "NO_COLOR").empty()) return false;
  const std::string_view force = EnvText(env, "FORCE_COLOR");
  if (!force.empty()) return force != "0";
  if (EnvText(env, "TERM") == "dumb") return false;
  return is_terminal;
}

int ScreenColumns(bool is_terminal, int terminal_columns, const GetEnv& env) {
  const std::string_view asked = EnvText(env, "COLUMNS");
  int columns = 0;
  const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), columns);
  if (error == std::errc() && end == asked.data() + asked.size() && columns >= 40 &&
      columns <= 1000) {
    return columns;
  }
  if (!is_terminal) return 80;
  return terminal_columns >= 40 ? terminal_columns : 80;
}

Screen DetectScreen(int fd, ColorWhen when) {
  const GetEnv env = [](const char* name) -> const char* { return getenv(name); };
  const bool is_terminal = isatty(fd) != 0;
  return {ScreenColumns(is_terminal, TerminalColumns(fd), env), UseColor(when, is_terminal, env)};
}

std::string Paint(const Screen& screen, Ink ink, std::string_view text) {
  if (!screen.color || text.empty()) return std::string(text);
  const char* code = "1";
  switch (ink) {
    case Ink::kBold:
      code = "1";
      break;
    case Ink::kDim:
      code = "2";
      break;
    case Ink::kGood:
      code = "32";
      break;
    case Ink::kBad:
      code = "31";
      break;
    case Ink::kWarn:
      code = "33";
      break;
  }
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

ProgressLine::ProgressLine(int fd) : fd_(fd), active_(isatty(fd) != 0) {}

ProgressLine::~ProgressLine() {
  if (shown_) Put(fd_, "\r\x1b[K");
}

void ProgressLine::Show(std::string_view text) {
  if (!active_) return;
  shown_ = true;
  const int columns = TerminalColumns(fd_);
  Put(fd_, "\r" + FitEnd(Printable(text), (columns > 0 ? columns : 80) - 1) + "\x1b[K");
}

}  // namespace gprofx
