// Draws lines on the whole terminal and reads keys, with ncurses. Used by report -i and top. One
// instance at a time; one thread. SIGWINCH may be blocked, because rows() reads the current size.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

enum class LineInk { kPlain, kTitle, kSelected, kFound, kKeys };

struct ScreenLine {
  std::string text;  // printable, at most as wide as the screen
  LineInk ink = LineInk::kPlain;
};

// Keys that do not produce a character.
enum ScreenKey : int {
  kKeyNone = -1,  // no key was pressed, or the terminal no longer exists
  kKeyUp = 0x1000,
  kKeyDown,
  kKeyPageUp,
  kKeyPageDown,
  kKeyHome,
  kKeyEnd,
  kKeyLeft,
  kKeyRight,
  kKeyEnter,
  kKeyErase,
  kKeyEscape,
  kKeyInterrupt,  // Ctrl-C
  kKeyOther,
};

class FullScreen {
 public:
  // Open() takes over the terminal of stdin and stdout. It fails with one line if they are no
  // terminal, if ncurses does not know the terminal, or if gprof-x was built without ncurses.
  static Result<std::unique_ptr<FullScreen>> Open();
  static Status Check();  // returns the error that Open() would return, and changes nothing
  ~FullScreen();          // restores the terminal
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  int rows() const;
  int columns() const;
  void Show(const std::vector<ScreenLine>& lines);
  // Returns a ScreenKey, or one byte of UTF-8. Waits for a key if `wait` is set.
  int Key(bool wait);

 private:
  explicit FullScreen(void* screen) : screen_(screen) {}
  void* screen_;
};

}  // namespace gprofx
