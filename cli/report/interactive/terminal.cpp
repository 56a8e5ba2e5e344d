// Runs the browser on a real terminal. The class Browser (browser.h) decides what to draw.
#include <utility>

#include "cli/report/interactive/browser.h"

namespace gprofx {
namespace {

std::optional<BrowserKey> KeyOf(int key, bool typing) {
  switch (key) {
    case kKeyUp:
      return BrowserKey::kUp;
    case kKeyDown:
      return BrowserKey::kDown;
    case kKeyPageUp:
      return BrowserKey::kPageUp;
    case kKeyPageDown:
      return BrowserKey::kPageDown;
    case kKeyHome:
      return BrowserKey::kHome;
    case kKeyEnd:
      return BrowserKey::kEnd;
    case kKeyRight:
      return BrowserKey::kOpen;
    case kKeyLeft:
      return BrowserKey::kClose;
    case kKeyEnter:
      return BrowserKey::kEnter;
    case kKeyErase:
      return BrowserKey::kErase;
    case kKeyEscape:
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

}  // namespace

Status RunBrowser(const Profile& profile, const Query& query, ReadSource source) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    return Error{ErrorId::kTerminal, "option '-i' needs a terminal for input and output",
                 "leave -i out to print text"};
  }
  // Build the view before the screen is cleared, to report errors in the query.
  Query tree = query;
  tree.kind = ViewKind::kTree;
  const Result<View> view = BuildView(profile, tree);
  if (!view) return view.error();
  auto screen = FullScreen::Open();
  if (!screen) return screen.error();
  Browser browser(profile, query, std::move(source));
  while (!browser.done()) {
    (*screen)->Show(browser.Draw((*screen)->rows(), (*screen)->columns()));
    const int key = (*screen)->Key(true);
    if (key == kKeyNone || key == kKeyInterrupt) break;
    if (const std::optional<BrowserKey> pressed = KeyOf(key, browser.typing())) {
      browser.Press(*pressed);
    } else if (browser.typing() && key >= 0x20 && key < 0x100) {
      const char byte = static_cast<char>(key);
      browser.Type({&byte, 1});
    }
  }
  return Ok();
}

}  // namespace gprofx
