// A whole terminal to draw lines on, with its keys, by ncurses: what report -i and top share.
//
// One at a time, one thread. Nothing is decided here. SIGWINCH may be blocked: rows() looks at the
// size.
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

// Keys that are no characters.
enum ScreenKey : int {
  kKeyNone = -1,  // none is there, or the terminal is gone
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
  // Of stdin and stdout, which are terminals. The error is one line: a terminal that the library
  // does not know, or a build without it.
  static Result<std::unique_ptr<FullScreen>> Open();
  static Status Check();  // the same error, without a change of the screen
  ~FullScreen();          // the terminal is as it was
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  int rows() const;
  int columns() const;
  void Show(const std::vector<ScreenLine>& lines);
  // A ScreenKey, or a byte of UTF-8. Waits for one with `wait`.
  int Key(bool wait);

 private:
  explicit FullScreen(void* screen) : screen_(screen) {}
  void* screen_;
};

}  // namespace gprofx
