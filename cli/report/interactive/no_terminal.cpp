// Of a build without ncurses.
#include "cli/report/interactive/browser.h"

namespace gprofx {

Status RunBrowser(const Profile&, const Query&) {
  return Error{"this gprof-x was built without ncurses", "leave -i out for text"};
}

}  // namespace gprofx
