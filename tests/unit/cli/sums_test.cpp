// Sums agree: self over all rows, over the tree, over the threads and the root's total are one
// number.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/report/report.h"
#include "core/views/callers.h"
#include "core/views/page/outline.h"
#include "core/views/rows.h"
#include "core/views/view.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

nlohmann::json Json(const Profile& profile, std::vector<std::string> args) {
  args.push_back("--json");
  const auto command = ParseReport(args);
  REQUIRE(command);
  const auto text = RenderReport(profile, command->options, {});
  REQUIRE(text);
  return nlohmann::json::parse(*text);
}

int64_t SumOfSelf(const nlohmann::json& rows) {
  int64_t sum = 0;
  for (const auto& row : rows) sum += row["self"].get<int64_t>();
  return sum;
}

// Random stacks over few functions: recursion in every form.
Profile RandomProfile(unsigned seed) {
  ProfileMaker make;
  std::mt19937 random(seed);
  const ModuleId python = make.AddModule("/usr/bin/python3", kModuleIsPython);
  const ModuleId library = make.AddModule("/usr/lib/lib.so", 0);
  std::vector<ThreadId> threads;
  for (int i = 0; i < 4; ++i) threads.push_back(make.AddThread(i / 2, i, "p", "t"));
  const std::vector<FrameId> frames = {make.Python("f", "/f.py", 1, 1),
                                       make.Python("f", "/f.py", 2, 1),
                                       make.Python("g", "/g.py", 7, 5),
                                       make.Native("_PyEval_EvalFrameDefault", python),
                                       make.Native("lib::work", library, "w.cpp", 9),
                                       make.Inlined("lib::work", library, "w.cpp", 3),
                                       make.Nameless(library, 64),
                                       make.Nameless(python, 128),
                                       make.Native("start_thread", library)};
  for (int i = 0; i < 300; ++i) {
    NodeId node = make.profile.root();
    const size_t depth = random() % 9;
    for (size_t d = 0; d < depth; ++d) {
      node = make.profile.Child(node, frames[random() % frames.size()]);
    }
    const ThreadId thread = threads[random() % threads.size()];
    make.profile.AddSelf(node, thread, make.profile.FindMetric("cpu"), 1 + random() % 1000);
    make.profile.AddSelf(node, thread, make.profile.FindMetric("samples"), 1);
  }
  return std::move(make.profile);
}

}  // namespace

TEST_CASE("self over all rows equals the root's total in every view") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Profile profile = seed == 20 ? TrainingProfile() : RandomProfile(seed);
    const int64_t base = MetricSum(profile, profile.FindMetric("cpu"));
    for (const auto& args : std::vector<std::vector<std::string>>{{},
                                                                  {"--all-frames"},
                                                                  {"--by", "line"},
                                                                  {"--by", "module"},
                                                                  {"--by", "thread"},
                                                                  {"--by", "process"},
                                                                  {"--lines"},
                                                                  {"--tree"},
                                                                  {"--tree", "--by", "function"}}) {
      const nlohmann::json json = Json(profile, args);
      CHECK(json["base"] == base);
      CHECK(SumOfSelf(json["rows"]) == base);
    }
  }
}

TEST_CASE("recursion and inlining count once: no total exceeds the whole") {
  for (unsigned seed = 1; seed < 20; ++seed) {
    const nlohmann::json json = Json(RandomProfile(seed), {});
    for (const auto& row : json["rows"]) {
      CHECK(row["total"] <= json["base"]);
      CHECK(row["self"] <= row["total"]);
      CHECK(row["total_samples"] <= 300);
    }
  }
}

TEST_CASE("a total is the time of the stacks that hold the function") {
  const Profile profile = RandomProfile(7);
  const nlohmann::json report = Json(profile, {"--all-frames"});
  int compared = 0;
  for (const auto& row : report["rows"]) {
    if (row["name"] != "g" && row["name"] != "lib::work") continue;
    const std::string name = row["name"];
    const nlohmann::json focused =
        Json(profile, {"--all-frames", "--focus", name == "g" ? "^g$" : "^lib::work$"});
    CHECK(focused["kept"] == row["total"]);
    ++compared;
  }
  CHECK(compared == 2);
}

TEST_CASE("focus and ignore part the whole") {
  const Profile profile = TrainingProfile();
  const int64_t kept = Json(profile, {"--focus", "Mlp"})["kept"];
  const int64_t dropped = Json(profile, {"--ignore", "Mlp"})["kept"];
  const int64_t base = Json(profile, {})["base"];
  CHECK(kept > 0);
  CHECK(kept + dropped == base);
  CHECK(Json(profile, {"--focus", "model\\.py$"})["kept"] > kept);
}

TEST_CASE("lines of an outline add up: self + children + what is left out = total") {
  for (unsigned seed = 1; seed < 20; ++seed) {
    const Profile profile = RandomProfile(seed);
    const auto view = BuildView(profile, {.kind = ViewKind::kTree});
    REQUIRE(view);
    CHECK(view->tree->outline.empty());  // nobody asked for one
    for (const size_t budget : {size_t{1}, size_t{4}, size_t{25}, size_t{10'000}}) {
      const auto lines = MakeOutline(view->tree->tree, budget, 1);
      CHECK(lines.size() <= budget + 1);
      std::vector<int64_t> sums(lines.size());
      for (size_t i = 0; i < lines.size(); ++i) {
        sums[i] += lines[i].self + lines[i].elided_total;
        if (i != 0) {
          REQUIRE(lines[i].parent < i);
          sums[lines[i].parent] += lines[i].total;
        }
      }
      for (size_t i = 0; i < lines.size(); ++i) CHECK(sums[i] == lines[i].total);
      if (budget == 10'000) {
        for (const auto& line : lines) CHECK(line.elided == 0);
      }
    }
  }
}

TEST_CASE("callers of a function add up to its total") {
  for (unsigned seed = 1; seed < 20; ++seed) {
    const Profile profile = RandomProfile(seed);
    const nlohmann::json top = Json(profile, {});
    for (const auto& row : top["rows"]) {
      if (row["name"] != "g") continue;
      const nlohmann::json callers = Json(profile, {"--callers", "g"});
      CHECK(callers["rows"][0]["total"] == row["total"]);
      CHECK(SumOfSelf(callers["rows"]) == row["total"]);
    }
  }
}

TEST_CASE("callers of a deep recursion stay bounded") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "p", "t");
  const FrameId f = make.Python("f", "/f.py", 1, 1), g = make.Python("g", "/f.py", 2, 2);
  NodeId node = make.profile.root();
  for (int i = 0; i < 30'000; ++i) {
    node = make.profile.Child(node, i % 2 == 0 ? f : g);
    make.profile.AddSelf(node, thread, make.profile.FindMetric("cpu"), 1);
  }
  node = make.profile.Child(node, make.Python("leaf", "/f.py", 3, 3));
  make.profile.AddSelf(node, thread, make.profile.FindMetric("cpu"), 5);
  const nlohmann::json json = Json(make.profile, {"--callers", "leaf"});
  CHECK(json["rows"].size() <= 10'001);
  CHECK(SumOfSelf(json["rows"]) == 5);
  for (const char* view : {"--tree", "--top", "--lines"}) {
    CHECK(SumOfSelf(Json(make.profile, {view})["rows"]) == 30'005);
    const auto command = ParseReport({view});
    CHECK(RenderReport(make.profile, command->options, {}));
  }
}

}  // namespace gprofx::testing
