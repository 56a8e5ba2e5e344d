// gprof-x report -i: an interactive call tree. The class Browser is the model: it takes keys and
// returns lines to draw. Pure: it uses no terminal and opens no file; a function supplies sources.
// Names are formatted only when their line is drawn. One thread. The profile must outlive the
// browser.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/full_screen.h"
#include "core/views/view.h"

namespace gprofx {

enum class BrowserKey {
  kUp,
  kDown,
  kPageUp,
  kPageDown,
  kHome,
  kEnd,
  kOpen,     // opens the selected line; if it is open, moves to its first child
  kClose,    // closes the selected line; if it is closed, moves to its parent
  kOpenHot,  // opens the largest child of the selected line, its largest child, and so on
  kSearch,   // starts typing a search
  kNext,     // moves to the next match in the whole tree
  kSort,     // sorts by the next order: total, self, name
  kMetric,   // shows the next metric of the profile
  kSource,   // shows or hides the source of the selected line
  kEnter,    // ends typing; if nothing is typed, does what kOpen does
  kEscape,   // ends typing without a search
  kErase,    // erases the last character typed
  kQuit,
};

// Returns the text of a source file of the profile. Returns nullopt if it is not available.
using ReadSource = std::function<std::optional<std::string>(const std::string& path)>;

using BrowserInk = LineInk;
using BrowserLine = ScreenLine;

class Browser {
 public:
  Browser(const Profile& profile, Query query, ReadSource source);

  void Press(BrowserKey key);
  void Type(std::string_view character);  // adds a character to the search text
  bool typing() const { return typing_; }
  bool done() const { return done_; }

  // Returns the lines to draw, exactly `rows` of them. The last one lists the keys.
  std::vector<BrowserLine> Draw(int rows, int columns);

 private:
  enum class Sort { kTotal, kSelf, kName };
  struct Shown {
    uint32_t node = 0;
    int depth = 0;
  };

  void Load();     // builds the tree of the selected metric
  void Arrange();  // sorts children and makes the list of open lines
  void Select(uint32_t node);
  void OpenPathTo(uint32_t node);
  void FindNext();
  std::string Name(uint32_t node) const;
  std::string TreeLine(const Shown& line, int columns) const;
  std::vector<BrowserLine> SourceLines(size_t rows, int columns) const;
  std::string KeysText(int columns) const;

  const Profile& profile_;
  Query query_;
  ReadSource source_;
  std::vector<std::string> metrics_;
  std::optional<View> view_;
  ChildTable children_;
  std::vector<bool> open_;
  std::vector<Shown> shown_;
  size_t cursor_ = 0, top_ = 0, page_ = 1;
  Sort sort_ = Sort::kTotal;
  std::string search_, message_;
  bool typing_ = false, done_ = false, with_source_ = false;
};

// Runs the browser on the terminal of stdin and stdout until the user quits. Fails with one line if
// there is no terminal, or if ncurses does not know the terminal.
Status RunBrowser(const Profile& profile, const Query& query, ReadSource source);

}  // namespace gprofx
