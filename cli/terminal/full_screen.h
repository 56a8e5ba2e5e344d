// Draws lines on a whole terminal and reads its keys, with ncurses. Shared by report -i and top.
//
// One instance at a time; one thread. SIGWINCH may be blocked: rows() reads the size.
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

// Keys that are not characters.
enum ScreenKey : int {
  kKeyNone = -1,  // no key is available, or the terminal is gone
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
  // Uses stdin and stdout, which must be terminals. The error is one line: the library does not
  // know the terminal, or is not built in.
  static Result<std::unique_ptr<FullScreen>> Open();
  static Status Check();  // returns the same error, without changing the screen
  ~FullScreen();          // restores the terminal
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  int rows() const;
  int columns() const;
  void Show(const std::vector<ScreenLine>& lines);
  // Returns a ScreenKey, or a byte of UTF-8. Waits for one if `wait`.
  int Key(bool wait);

 private:
  explicit FullScreen(void* screen) : screen_(screen) {}
  void* screen_;
};

}  // namespace gprofx
