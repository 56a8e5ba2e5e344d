// The page of a comparison: names stay data, and it keeps to its size.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/diff/html/page.h"
#include "diff_samples.h"
#include "sample_profile.h"

namespace gprofx::testing {

using nlohmann::json;

TEST_CASE("the page holds no name of a program outside of its data") {
  for (const std::string& name : Names()) {
    ProfileMaker make;
    const ThreadId thread = make.AddThread(1, 1, name, name);
    make.Add(thread, {make.Python(name, "/top/a.py", 88, 88)}, 3);
    compare::TreeMerge trees;
    trees.Add(make.profile, compare::Side::kHead);
    const Diff diff = DiffOf(name);
    const std::string page = RenderDiffPage(diff, {}, Around(name), trees, kEnough);
    CHECK(page.size() < 200'000);
    CHECK(page.find("onerror") == std::string::npos);
    CHECK(page.find("\x1b") == std::string::npos);
    compare::TreeMerge again = trees;
    const PageData data = DiffPageData(diff, {}, Around(name), again.Finish(100));
    const json parsed = json::parse(data.json);
    CHECK(parsed["functions"].size() == 3);
    CHECK(parsed["functions"][0]["site"] == 1);
  }
}

TEST_CASE("a page of times per call divides by the calls that the samples cover") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "a", "a");
  make.Add(thread, {make.Python("a", "/top/a.py", 88, 88)}, 3);
  compare::TreeMerge trees;
  trees.Add(make.profile, compare::Side::kBase);
  trees.Add(make.profile, compare::Side::kHead);
  const compare::TreeDiff tree = trees.Finish(100);
  const auto& self = tree.metrics.front().self[0];
  const double all = static_cast<double>(std::accumulate(self.begin(), self.end(), int64_t{0}));
  Diff diff = DiffOf("a");
  diff.unit = compare::Unit::kCall;
  diff.clock_total = Tested(Verdict::kRegression, all / 8e9, all / 4e9);
  diff.counts[0].per_step = true;
  DiffSurroundings around = Around();
  json page = json::parse(DiffPageData(diff, {}, around, tree).json);
  CHECK(page["unit"] == "call");
  CHECK(page["totals"][0]["what"] == "time of a call");
  CHECK(page["metrics"][0]["base_units"].get<double>() == Approx(8));
  CHECK(page["metrics"][0]["head_units"].get<double>() == Approx(4));
  CHECK(page["counts"][0]["per"] == "batch");
  around.of_whole_runs = true;
  page = json::parse(DiffPageData(diff, {}, around, tree).json);
  CHECK(page["counts"][0]["per"] == "run");
}

TEST_CASE("a page keeps to its size whatever the number of stacks is") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "a", "a");
  for (int i = 0; i < 12'000; ++i) {
    std::string name = std::to_string(i);
    for (int k = 0; k < 40; ++k) name += static_cast<char>('a' + (i * 7919 + k * k * 104'729) % 26);
    make.Add(thread, {make.Python(name, "a.py", 1, 1)}, 1 + i % 7);
  }
  compare::TreeMerge trees;
  trees.Add(make.profile, compare::Side::kHead);
  const size_t whole = RenderDiffPage(DiffOf("a"), {}, Around(), trees, 100 * kEnough).size();
  const size_t most = whole / 2;
  CHECK(RenderDiffPage(DiffOf("a"), {}, Around(), trees, most).size() <= most);
}

}  // namespace gprofx::testing
