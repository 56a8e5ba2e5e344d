// The interactive report without a terminal: keys in, lines out.
#include "cli/report/interactive/browser.h"

#include <catch2/catch.hpp>

#include "cli/terminal/text.h"
#include "gpu_profile.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

constexpr int kRows = 24, kColumns = 100;

std::optional<std::string> NoSource(const std::string&) { return std::nullopt; }

std::vector<std::string> Texts(Browser& browser, int rows = kRows, int columns = kColumns) {
  std::vector<std::string> texts;
  for (const BrowserLine& line : browser.Draw(rows, columns)) texts.push_back(line.text);
  return texts;
}

std::string Selected(Browser& browser) {
  for (const BrowserLine& line : browser.Draw(kRows, kColumns)) {
    if (line.ink == BrowserInk::kSelected) return line.text;
  }
  return "";
}

size_t TreeLines(Browser& browser) {
  size_t count = 0;
  const std::vector<std::string> texts = Texts(browser, 200);
  for (size_t i = 1; i + 1 < texts.size(); ++i) count += !texts[i].empty();
  return count;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void Search(Browser& browser, const std::string& text) {
  browser.Press(BrowserKey::kSearch);
  for (const char c : text) browser.Type({&c, 1});
  browser.Press(BrowserKey::kEnter);
}

}  // namespace

TEST_CASE("branches open and close, and closing twice goes to the caller") {
  const Profile profile = TrainingProfile();
  Browser browser(profile, {}, &NoSource);
  CHECK(Has(Selected(browser), "[all]"));
  const size_t closed = TreeLines(browser);
  browser.Press(BrowserKey::kDown);
  const std::string first = Selected(browser);
  browser.Press(BrowserKey::kOpen);
  CHECK(TreeLines(browser) > closed);
  browser.Press(BrowserKey::kOpen);  // is open: goes to its first child
  CHECK_FALSE(Selected(browser) == first);
  browser.Press(BrowserKey::kClose);
  browser.Press(BrowserKey::kClose);
  CHECK(TreeLines(browser) == closed);
  browser.Press(BrowserKey::kClose);
  CHECK(Has(Selected(browser), "[all]"));
  browser.Press(BrowserKey::kUp);
  CHECK(Has(Selected(browser), "[all]"));
}

TEST_CASE("a search opens the way to what it finds") {
  const Profile profile = TrainingProfile();
  Browser browser(profile, {}, &NoSource);
  Search(browser, "CBLAS_sgemm");
  CHECK(Has(Selected(browser), "cblas_sgemm"));
  const std::string found = Selected(browser);
  browser.Press(BrowserKey::kNext);
  CHECK(Has(Selected(browser), "cblas_sgemm"));
  Search(browser, "no such name");
  CHECK(Has(Texts(browser).back(), "not found: no such name"));
  browser.Press(BrowserKey::kSearch);
  CHECK(browser.typing());
  browser.Type("q");
  browser.Press(BrowserKey::kErase);
  browser.Press(BrowserKey::kErase);
  browser.Press(BrowserKey::kEscape);
  CHECK_FALSE(browser.typing());
  CHECK_FALSE(browser.done());
}

TEST_CASE("other orders and metrics, and the way out") {
  const Profile profile = GpuProfile();
  Browser browser(profile, {}, &NoSource);
  CHECK(Has(Texts(browser)[0], "call tree, cpu"));
  browser.Press(BrowserKey::kMetric);
  CHECK_FALSE(Has(Texts(browser)[0], "call tree, cpu"));
  for (int i = 0; i < 100 && !Has(Texts(browser)[0], "call tree, gpu,"); ++i) {
    browser.Press(BrowserKey::kMetric);
  }
  REQUIRE(Has(Texts(browser)[0], "call tree, gpu,"));
  browser.Press(BrowserKey::kOpenHot);
  CHECK_FALSE(Has(Selected(browser), "[all]"));
  Search(browser, "flash attention");
  CHECK(Has(Selected(browser), "flash attention bf16"));
  browser.Press(BrowserKey::kSort);
  CHECK(Has(Texts(browser).back(), "sort: self"));
  CHECK(Has(Selected(browser), "flash attention bf16"));
  browser.Press(BrowserKey::kSort);
  CHECK(Has(Texts(browser).back(), "sort: name"));
  browser.Press(BrowserKey::kQuit);
  CHECK(browser.done());
}

TEST_CASE("the source stands beside the tree") {
  const Profile profile = TrainingProfile();
  std::string asked;
  Browser browser(profile, {}, [&](const std::string& path) -> std::optional<std::string> {
    asked = path;
    std::string text;
    for (int i = 1; i < 500; ++i) text += "line number " + std::to_string(i) + "\n";
    return text;
  });
  browser.Press(BrowserKey::kSource);
  Search(browser, "train.py:");
  std::string marked;
  for (const BrowserLine& line : browser.Draw(kRows, kColumns)) {
    if (line.ink == BrowserInk::kFound && Has(line.text, "line number")) marked = line.text;
  }
  CHECK(Has(asked, "train.py"));
  const std::string selected = Selected(browser);
  const size_t colon = selected.rfind(':');
  const std::string number = selected.substr(colon + 1, selected.rfind(')') - colon - 1);
  CHECK(Has(marked, "line number " + number));
}

TEST_CASE("any screen and any names give whole lines") {
  for (const Profile& profile : {TrainingProfile(), HostileProfile(), GpuProfile(), Profile()}) {
    Browser browser(profile, {}, &NoSource);
    browser.Press(BrowserKey::kSource);
    for (int key = 0; key < static_cast<int>(BrowserKey::kQuit); ++key) {
      browser.Press(static_cast<BrowserKey>(key));
      if (browser.typing()) browser.Press(BrowserKey::kEnter);
      for (const int rows : {4, 5, 24, 100}) {
        for (const int columns : {20, 80, 200}) {
          const std::vector<std::string> texts = Texts(browser, rows, columns);
          REQUIRE(texts.size() == static_cast<size_t>(rows));
          for (const std::string& text : texts) {
            REQUIRE(Columns(text) <= columns);
            REQUIRE(Printable(text) == text);
          }
        }
      }
    }
  }
}

}  // namespace gprofx::testing
