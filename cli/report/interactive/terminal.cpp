// The browser on a real terminal, by ncurses. Nothing is decided here.
#include <curses.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>

#include "cli/report/interactive/browser.h"

namespace gprofx {
namespace {

constexpr size_t kLargestSource = 4 << 20;

// The profile's own copy, else the file of that name, if it is a regular one.
std::optional<std::string> SourceOf(const Profile& profile, const std::string& path) {
  for (const SourceText& source : profile.gpu.sources) {
    if (profile.Text(source.path) == path) return source.text;
  }
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  struct stat facts = {};
  std::string text;
  if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)) {
    char buffer[65536];
    while (text.size() < kLargestSource) {
      const ssize_t got = read(fd, buffer, sizeof buffer);
      if (got <= 0) break;
      text.append(buffer, static_cast<size_t>(got));
    }
  }
  close(fd);
  if (text.empty()) return std::nullopt;
  return text;
}

std::optional<BrowserKey> KeyOf(int key, bool typing) {
  switch (key) {
    case KEY_UP:
      return BrowserKey::kUp;
    case KEY_DOWN:
      return BrowserKey::kDown;
    case KEY_PPAGE:
      return BrowserKey::kPageUp;
    case KEY_NPAGE:
      return BrowserKey::kPageDown;
    case KEY_HOME:
      return BrowserKey::kHome;
    case KEY_END:
      return BrowserKey::kEnd;
    case KEY_RIGHT:
      return BrowserKey::kOpen;
    case KEY_LEFT:
      return BrowserKey::kClose;
    case KEY_ENTER:
    case '\r':
    case '\n':
      return BrowserKey::kEnter;
    case KEY_BACKSPACE:
    case 127:
    case 8:
      return BrowserKey::kErase;
    case 27:
      return BrowserKey::kEscape;
    default:
      break;
  }
  if (typing) return std::nullopt;
  switch (key) {
    case 'q':
      return BrowserKey::kQuit;
    case 'k':
      return BrowserKey::kUp;
    case 'j':
      return BrowserKey::kDown;
    case 'l':
    case '+':
      return BrowserKey::kOpen;
    case '-':
      return BrowserKey::kClose;
    case 'h':
      return BrowserKey::kOpenHot;
    case '/':
      return BrowserKey::kSearch;
    case 'n':
      return BrowserKey::kNext;
    case 's':
      return BrowserKey::kSort;
    case 'm':
      return BrowserKey::kMetric;
    case 'v':
      return BrowserKey::kSource;
    default:
      return std::nullopt;
  }
}

attr_t AttributesOf(BrowserInk ink) {
  switch (ink) {
    case BrowserInk::kTitle:
    case BrowserInk::kFound:
      return A_BOLD;
    case BrowserInk::kSelected:
      return A_REVERSE;
    case BrowserInk::kKeys:
      return A_DIM;
    default:
      return A_NORMAL;
  }
}

void Show(Browser& browser) {
  const int rows = LINES, columns = COLS;
  const std::vector<BrowserLine> lines = browser.Draw(rows, columns);
  erase();
  for (int i = 0; i < rows && i < static_cast<int>(lines.size()); ++i) {
    const BrowserLine& line = lines[static_cast<size_t>(i)];
    attrset(static_cast<int>(AttributesOf(line.ink)));
    mvaddnstr(i, 0, line.text.c_str(), -1);
  }
  attrset(A_NORMAL);
  refresh();
}

}  // namespace

Status RunBrowser(const Profile& profile, const Query& query) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    return Error{"-i needs a terminal for its keys and its output", "leave -i out for text"};
  }
  // What a query cannot show is said before the screen changes.
  Query tree = query;
  tree.kind = ViewKind::kTree;
  const Result<View> view = BuildView(profile, tree);
  if (!view) return view.error();
  // Built into the C library, so that also a static program on an old system has it.
  if (setlocale(LC_CTYPE, "C.UTF-8") == nullptr) setlocale(LC_CTYPE, "");
  SCREEN* screen = newterm(nullptr, stdout, stdin);
  if (screen == nullptr) {
    const char* term = getenv("TERM");
    const std::string name = term == nullptr ? "" : term;
    return Error{"no description of the terminal '" + name + "'",
                 "install ncurses-base or ncurses-term, or set TERM=xterm"};
  }
  raw();
  noecho();
  keypad(stdscr, TRUE);
  set_escdelay(50);
  curs_set(0);
  Browser browser(profile, query,
                  [&](const std::string& path) { return SourceOf(profile, path); });
  while (!browser.done()) {
    Show(browser);
    const int key = getch();
    if (key == ERR || key == 3) break;  // the terminal is gone; Ctrl-C
    if (const std::optional<BrowserKey> pressed = KeyOf(key, browser.typing())) {
      browser.Press(*pressed);
    } else if (browser.typing() && key >= 0x20 && key < 0x100) {
      const char byte = static_cast<char>(key);
      browser.Type({&byte, 1});
    }
  }
  endwin();
  delscreen(screen);
  return Ok();
}

}  // namespace gprofx
