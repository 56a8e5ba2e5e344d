// Runs gprof-x top on a terminal: draws the latest interval, and redraws it after a key or a change
// of the screen size.
#include <poll.h>
#include <unistd.h>

#include <utility>

#include "cli/terminal/full_screen.h"
#include "cli/top/draw.h"
#include "cli/top/faces.h"

namespace gprofx {
namespace {

class ScreenFace : public TopFace {
 public:
  using TopFace::TopFace;

  Status Begin() override {
    auto opened = FullScreen::Open();
    if (!opened) return opened.error();
    terminal_ = std::move(*opened);
    return Ok();
  }

  int input() const override { return terminal_ != nullptr && !is_gone_ ? STDIN_FILENO : -1; }
  bool is_live() const override { return true; }
  void End() override { terminal_.reset(); }

  void Show(const Snapshot& snapshot) override {
    if (!screen.is_paused || !snapshot.runs) latest_ = snapshot;
    Draw();
  }

  void Keys() override {
    if (terminal_ == nullptr) return;
    bool is_pressed = false;
    for (int key = NextKey(); key != kKeyNone; key = NextKey()) {
      is_pressed = true;
      if (const std::optional<TopKey> known = TopKeyOf(key, screen.is_typing)) {
        screen.Press(*known);
      } else if (screen.is_typing && key >= 0x20 && key < 0x100) {
        const char byte = static_cast<char>(key);
        screen.Type({&byte, 1});
      }
    }
    if (is_pressed || terminal_->rows() != rows_ || terminal_->columns() != columns_) Draw();
  }

 private:
  // Returns the next key. If the terminal no longer exists, requests the end of the display,
  // because such a terminal is always readable and never returns a key.
  int NextKey() {
    pollfd waiting = {STDIN_FILENO, POLLIN, 0};
    if (is_gone_ || poll(&waiting, 1, 0) <= 0) return terminal_->Key(false);
    const int key = terminal_->Key(false);
    const bool is_hung_up = (waiting.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
    if (key == kKeyNone && is_hung_up) {
      is_gone_ = true;
      ++screen.quits;
    }
    return key;
  }

  void Draw() {
    if (terminal_ == nullptr) return;
    rows_ = terminal_->rows();
    columns_ = terminal_->columns();
    terminal_->Show(DrawTop(latest_, screen, rows_, columns_));
  }

  std::unique_ptr<FullScreen> terminal_;
  Snapshot latest_;
  int rows_ = 0, columns_ = 0;
  bool is_gone_ = false;
};

}  // namespace

std::unique_ptr<TopFace> MakeScreenFace(TopScreen begin) {
  return std::make_unique<ScreenFace>(std::move(begin));
}

}  // namespace gprofx
