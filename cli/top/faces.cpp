#include "cli/top/faces.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include "cli/terminal/screen.h"
#include "cli/top/draw.h"
#include "cli/top/json.h"

namespace gprofx {
namespace {

// Writes to stdout. If that fails, sets a request to end the display.
void Write(const std::string& text, TopFace& face) {
  const bool written = fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && fflush(stdout) == 0) return;
  ++face.screen.quits;
  // EPIPE is no error, because the reader closed the pipe on purpose.
  face.unwritten = errno != EPIPE;
}

class TextFace : public TopFace {
 public:
  using TopFace::TopFace;
  void Show(const Snapshot& snapshot) override {
    const int columns = DetectScreen(STDOUT_FILENO, ColorWhen::kNever).columns;
    Write((is_first_ ? "" : "\n") + TopText(snapshot, screen, kTextRows, columns), *this);
    is_first_ = false;
  }

 private:
  bool is_first_ = true;
};

class JsonFace : public TopFace {
 public:
  JsonFace(TopScreen begin, bool indented)
      : TopFace(std::move(begin)), indent_(indented ? 2 : -1) {}
  void Show(const Snapshot& snapshot) override {
    Write(PrintedJson(TopJson(snapshot, screen.sort, kJsonRows), indent_), *this);
  }

 private:
  int indent_;
};

}  // namespace

std::unique_ptr<TopFace> MakeTextFace(TopScreen begin) {
  return std::make_unique<TextFace>(std::move(begin));
}

std::unique_ptr<TopFace> MakeJsonFace(TopScreen begin, bool indented) {
  return std::make_unique<JsonFace>(std::move(begin), indented);
}

}  // namespace gprofx
