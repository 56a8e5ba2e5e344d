// Source texts of a recording: single lines for tables, and whole files for a page.
#include <catch2/catch.hpp>

#include "cli/report/html/source.h"
#include "cli/report/source_lines.h"

namespace gprofx::testing {

TEST_CASE("a line is that of the recorded text, and nothing else is read") {
  Profile profile;
  const StringId path = profile.Intern("/app.py");
  const std::vector<SourceText> sources = {{path, "first\n\n  third \nlast"},
                                           {path, "another\n"},
                                           {StringId{1'000}, "of no path\n"},
                                           {profile.Intern("/empty.py"), ""}};
  SourceLines lines(profile, sources);
  CHECK_FALSE(lines.empty());
  CHECK(lines.Line("/app.py", 1) == "first");
  CHECK(lines.Line("/app.py", 2).empty());
  CHECK(lines.Line("/app.py", 3) == "third");
  CHECK(lines.Line("/app.py", 4) == "last");
  for (const uint32_t line : {0u, 5u, ~0u}) CHECK(lines.Line("/app.py", line).empty());
  CHECK(lines.Text("/app.py") == &sources[0].text);
  for (const char* other : {"/etc/passwd", "/empty.py", ""}) {
    CHECK(lines.Line(other, 1).empty());
    CHECK(lines.Text(other) == nullptr);
  }
  CHECK(SourceLines(profile, {}).empty());
}

TEST_CASE("a long line of a recorded text is cut") {
  Profile profile;
  const std::vector<SourceText> sources = {{profile.Intern("/app.py"), std::string(9'000, 'x')}};
  CHECK(SourceLines(profile, sources).Line("/app.py", 1).size() == 500);
}

TEST_CASE("a page holds one text of a path, and no more than its limit") {
  Profile profile;
  PageTree tree;
  std::vector<SourceText> sources;
  const auto add = [&](const std::string& path, const std::string& text) {
    PageSite& site = tree.sites.emplace_back();
    site.label.kind = FrameKind::kPython;
    site.label.file = path;
    sources.push_back({profile.Intern(path), text});
  };
  const size_t longest_path = size_t{1} << 20;
  add("a.py", "one\ntwo");
  for (int i = 0; i < 1'000; ++i) add("a.py", "");
  add("lines.py", std::string(60'000, '\n'));  // takes more than its bytes
  add(std::string(longest_path, 'p'), "");
  add(std::string(longest_path, 'q'), "");
  add(std::string(longest_path, 'r'), "");
  add("z.py", "last");
  const Json page = FileTextsJson(sources, profile, tree);
  std::vector<std::string> starts;
  for (const Json& file : page) starts.push_back(file["file"].get<std::string>().substr(0, 4));
  CHECK(starts == std::vector<std::string>{"a.py", "line", "pppp", "qqqq", "z.py"});
  CHECK(page[0]["lines"] == Json({"one", "two"}));
}

}  // namespace gprofx::testing
