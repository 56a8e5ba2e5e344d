#include "cli/terminal/full_screen.h"

#include <curses.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>

// Declared here and not included, because term.h defines macros with common names such as "lines"
// and "columns".
extern "C" int setupterm(const char* term, int fd, int* problem);

namespace gprofx {
namespace {

// Maximum time in ms between an escape character and the rest of a key's sequence.
constexpr int kEscapeMs = 50;

attr_t AttributesOf(LineInk ink) {
  switch (ink) {
    case LineInk::kTitle:
    case LineInk::kFound:
      return A_BOLD;
    case LineInk::kSelected:
      return A_REVERSE;
    case LineInk::kKeys:
      return A_DIM;
    default:
      return A_NORMAL;
  }
}

int KeyOf(int key) {
  switch (key) {
    case ERR:
      return kKeyNone;
    case KEY_UP:
      return kKeyUp;
    case KEY_DOWN:
      return kKeyDown;
    case KEY_PPAGE:
      return kKeyPageUp;
    case KEY_NPAGE:
      return kKeyPageDown;
    case KEY_HOME:
      return kKeyHome;
    case KEY_END:
      return kKeyEnd;
    case KEY_RIGHT:
      return kKeyRight;
    case KEY_LEFT:
      return kKeyLeft;
    case KEY_ENTER:
    case '\r':
    case '\n':
      return kKeyEnter;
    case KEY_BACKSPACE:
    case 127:
    case 8:
      return kKeyErase;
    case 27:
      return kKeyEscape;
    case 3:
      return kKeyInterrupt;
    default:
      return key > 0 && key < 0x100 ? key : kKeyOther;
  }
}

void FollowSize() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return;
  if (size.ws_row != LINES || size.ws_col != COLS) resizeterm(size.ws_row, size.ws_col);
}

Error UnknownTerminal() {
  const char* term = getenv("TERM");
  const std::string name = term == nullptr ? "" : term;
  return Error{ErrorId::kTerminal, "the terminal type '" + name + "' is unknown",
               "install ncurses-base or ncurses-term, or set TERM=xterm"};
}

}  // namespace

Status FullScreen::Check() {
  int problem = 0;
  if (setupterm(nullptr, STDOUT_FILENO, &problem) == OK) return Ok();
  return UnknownTerminal();
}

Result<std::unique_ptr<FullScreen>> FullScreen::Open() {
  // C.UTF-8 is built into the C library. A static program thus has it on an old system, too.
  if (setlocale(LC_CTYPE, "C.UTF-8") == nullptr) setlocale(LC_CTYPE, "");
  SCREEN* screen = newterm(nullptr, stdout, stdin);
  if (screen == nullptr) return UnknownTerminal();
  raw();
  noecho();
  keypad(stdscr, TRUE);
  set_escdelay(kEscapeMs);
  curs_set(0);
  return std::unique_ptr<FullScreen>(new FullScreen(screen));
}

FullScreen::~FullScreen() {
  endwin();
  delscreen(static_cast<SCREEN*>(screen_));
}

int FullScreen::rows() const {
  FollowSize();
  return LINES;
}
int FullScreen::columns() const { return COLS; }

void FullScreen::Show(const std::vector<ScreenLine>& lines) {
  erase();
  for (int i = 0; i < LINES && i < static_cast<int>(lines.size()); ++i) {
    const ScreenLine& line = lines[static_cast<size_t>(i)];
    attrset(static_cast<int>(AttributesOf(line.ink)));
    mvaddnstr(i, 0, line.text.c_str(), -1);
  }
  attrset(A_NORMAL);
  refresh();
}

int FullScreen::Key(bool wait) {
  nodelay(stdscr, wait ? FALSE : TRUE);
  return KeyOf(getch());
}

}  // namespace gprofx
