// A comparison in every format, with every byte in its names.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/diff/outputs/formats.h"
#include "cli/diff/outputs/notices.h"
#include "cli/diff/outputs/place.h"
#include "diff_samples.h"

namespace gprofx::testing {
namespace {

using nlohmann::json;

// Well-formed XML: tags are closed in order, and text holds none of its own characters.
bool IsXml(const std::string& text) {
  std::vector<std::string> open;
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 && byte != '\n') return false;
    if (text[i] == '&') {
      const std::string entity = text.substr(i, text.find(';', i) + 1 - i);
      if (!std::set<std::string>{"&amp;", "&lt;", "&gt;", "&quot;"}.count(entity)) return false;
    }
    if (text[i] != '<') {
      ++i;
      continue;
    }
    const size_t end = text.find('>', i);
    if (end == std::string::npos) return false;
    const std::string tag = text.substr(i + 1, end - i - 1);
    if (tag.find('<') != std::string::npos) return false;
    const std::string name = tag.substr(0, tag.find_first_of(" "));
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.front() != '?' && tag.back() != '/') {
      open.push_back(name);
    }
    i = end + 1;
  }
  return open.empty();
}
}  // namespace

TEST_CASE("every format survives every byte in names") {
  for (const std::string& name : Names()) {
    INFO(name.substr(0, 60));
    for (const bool with_rules : {false, true}) {
      Diff diff = DiffOf(name, "/top/" + name);
      if (!with_rules) diff.rules.clear();
      const OutputPlace place = Place();
      const DiffOptions options;
      CHECK(IsXml(DiffJunit(diff, options, Around(name))));
      const json sarif = json::parse(DiffSarif(diff, options, place));
      CHECK(sarif["runs"][0]["results"].size() >= 4);
      for (const json& result : sarif["runs"][0]["results"]) {
        const json place_of = result["locations"][0]["physicalLocation"];
        const std::string uri = place_of["artifactLocation"]["uri"];
        CHECK(uri.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "-._~/%:") == std::string::npos);
        CHECK(uri.find("..") == std::string::npos);
      }
      CHECK(json::parse(DiffGitlab(diff, options, place)).size() >= 4);
      for (const std::string& line : Lines(DiffAnnotations(diff, options, place))) {
        CHECK((line.starts_with("::error ") || line.starts_with("::warning ")));
        for (const char c : line) CHECK(static_cast<unsigned char>(c) >= 0x20);
        CHECK(line.size() < 8'000);
      }
      for (const std::string& line : Lines(DiffMetrics(diff))) {
        CHECK((line.starts_with("# ") || line.starts_with("gprofx_")));
      }
      const std::string markdown = DiffMarkdown(diff, options, Around(name), kEnough);
      for (const std::string& line : Lines(markdown)) {
        if (line.starts_with("| "))
          CHECK((std::count(line.begin(), line.end(), '|') == 9 ||
                 std::count(line.begin(), line.end(), '|') == 4 ||
                 std::count(line.begin(), line.end(), '|') == 5));
      }
      CHECK(markdown.find("<img") == std::string::npos);
      CHECK(markdown.find("@e") == std::string::npos);
      CHECK(markdown.find("www.") == std::string::npos);
    }
  }
}

TEST_CASE("what cannot be compared is an error of JUnit and the only notice") {
  Diff diff = DiffOf("f");
  diff.rules.clear();
  diff.verdict = Verdict::kInconclusive;
  diff.obstacles = {{compare::Obstacle::kMachine, "GPUs", "H100", "A100"}};
  const std::vector<Notice> notices = NoticesOf(diff, {});
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].rule == "inconclusive");
  CHECK(notices[0].text.find("GPUs: H100") != std::string::npos);
  const std::string junit = DiffJunit(diff, {}, Around());
  CHECK(junit.find("tests=\"1\" failures=\"0\" errors=\"1\"") != std::string::npos);
  CHECK(DiffAnnotations(diff, {}, Place()).starts_with("::warning title="));
  CHECK(DiffMarkdown(diff, {}, Around(), kEnough).find("slower") == std::string::npos);
}

TEST_CASE("fingerprints stay when lines and folders move, and differ between findings") {
  Diff diff = DiffOf("f"), moved = DiffOf("f", "/other/place/a.py");
  moved.functions[0].part.line = 1'234;
  moved.functions[0].outcome.head *= 2;
  const std::vector<Notice> before = NoticesOf(diff, {}), after = NoticesOf(moved, {});
  REQUIRE(before.size() == after.size());
  std::set<std::string> all;
  for (size_t i = 0; i < before.size(); ++i) {
    CHECK(Fingerprint(before[i]) == Fingerprint(after[i]));
    CHECK(Fingerprint(before[i]).size() == 16);
    if (before[i].suppressed_by.empty()) CHECK(all.insert(Fingerprint(before[i])).second);
  }
}

TEST_CASE("annotations keep to what GitHub shows and say what is beyond") {
  Diff diff = DiffOf("f");
  diff.rules.clear();
  for (int i = 0; i < 30; ++i) {
    diff.functions.push_back(ChangeOf("g" + std::to_string(i), Verdict::kRegression));
    diff.counts.push_back({"launches: k" + std::to_string(i), 1, 2});
  }
  const std::vector<std::string> lines = Lines(DiffAnnotations(diff, {}, Place()));
  const auto count = [&](const char* what) {
    return std::count_if(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.starts_with(what); });
  };
  CHECK(count("::error ") == 10);
  CHECK(count("::warning ") == 10);
  REQUIRE(count("::notice ") == 1);
  // total, kernel, 31 functions, 31 counts
  CHECK(lines.back().find("44 more changes") != std::string::npos);
  CHECK(lines[1].find("title=kf is slower") != std::string::npos);
  CHECK(lines[2].find("::error file=a.py,line=88,title=f is slower::f: +20.0%25 (") == 0);
}

TEST_CASE("a summary that is too long is cut between lines and says so") {
  Diff diff = DiffOf("f");
  for (int i = 0; i < 20'000; ++i) {
    diff.functions.push_back(ChangeOf("g" + std::to_string(i), Verdict::kInconclusive));
  }
  for (const size_t most : {size_t{0}, size_t{500}, size_t{5'000}, kEnough}) {
    const std::string text = DiffMarkdown(diff, {}, Around(), most);
    CHECK(text.size() <= std::max<size_t>(most, 400));
    CHECK(text.find("This summary is shortened: it has no room for ") != std::string::npos);
    const bool opens = text.find("<details>") != std::string::npos;
    CHECK(opens == (text.find("</details>") != std::string::npos));
  }
  diff.functions.resize(3);
  CHECK(DiffMarkdown(diff, {}, Around(), kEnough).find("is cut") == std::string::npos);
}

TEST_CASE("SARIF keeps the most important 5,000 results, each with a place and a rule") {
  Diff diff = DiffOf("f");
  for (int i = 0; i < 6'000; ++i) {
    diff.functions.push_back(ChangeOf("g" + std::to_string(i), Verdict::kRegression));
  }
  const json run = json::parse(DiffSarif(diff, {}, Place()))["runs"][0];
  REQUIRE(run["results"].size() == 5'000);
  for (const json& result : run["results"]) {
    const size_t rule = result["ruleIndex"];
    CHECK(run["tool"]["driver"]["rules"][rule]["id"] == result["ruleId"]);
    CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1);
  }
  CHECK(run["results"][0]["ruleId"] == "rule-self(f)>5%");
  CHECK(run["results"][0]["level"] == "error");
  CHECK(run["results"][1]["suppressions"][0]["kind"] == "external");
}

TEST_CASE("places are relative to the tree that they lie in") {
  OutputPlace place;
  place.roots = {"/checkout/head", "/checkout"};
  place.exists = [](const std::string& path) { return path == "/checkout/head/src/a.py"; };
  CHECK(BelowRoots("/checkout/head/src/a.py", place) == "src/a.py");
  CHECK(BelowRoots("/checkout/other/a.py", place) == "other/a.py");
  CHECK(BelowRoots("/checkout/head/../../etc/passwd", place) == "");
  CHECK(BelowRoots("/checkouts/a.py", place) == "");
  CHECK(BelowRoots("src/./a.py", place) == "src/a.py");
  CHECK(BelowRoots("Objects/rangeobject.c", place) == "");
  CHECK(BelowRoots("../../a.py", place) == "");
  CHECK(BelowRoots("<string>", place) == "");
  CHECK(BelowRoots("", place) == "");
  CHECK(PercentEncoded("a b/\xC3\xA4#?%.py") == "a%20b/%C3%A4%23%3F%25.py");
  Notice notice;
  notice.file = "/usr/lib/libc.c";
  notice.line = 7;
  CHECK(PlaceOf(notice, place).path == "/usr/lib/libc.c");
  notice.seen_file = "/checkout/head/train.py";
  notice.seen_line = 9;
  CHECK(PlaceOf(notice, place).path == "train.py");
  CHECK(PlaceOf(notice, place).line == 9);
}

TEST_CASE("a slower function is shown at the line that is slower, where one is") {
  Diff diff = DiffOf("f");
  diff.rules.clear();
  diff.functions[0].key = "py\na.py\nf";
  CHECK(DiffAnnotations(diff, {}, Place()).find("file=a.py,line=88,") != std::string::npos);
  Change line = ChangeOf("f", Verdict::kRegression);
  line.part.of = diff.functions[0].key;
  line.part.line = 91;
  diff.lines = {ChangeOf("g", Verdict::kRegression), line};
  CHECK(DiffAnnotations(diff, {}, Place()).find("file=a.py,line=91,") != std::string::npos);
}

}  // namespace gprofx::testing
