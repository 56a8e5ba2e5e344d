// Replaces full_screen.cpp if gprof-x is built without ncurses.
#include "cli/terminal/full_screen.h"

namespace gprofx {

Result<std::unique_ptr<FullScreen>> FullScreen::Open() { return Check().error(); }
Status FullScreen::Check() {
  return Error{ErrorId::kTerminal, "this gprof-x was built without ncurses",
               "leave -i out to print text; for top, add --once"};
}
FullScreen::~FullScreen() = default;
int FullScreen::rows() const { return 0; }
int FullScreen::columns() const { return 0; }
void FullScreen::Show(const std::vector<ScreenLine>&) {}
int FullScreen::Key(bool) { return kKeyNone; }

}  // namespace gprofx
