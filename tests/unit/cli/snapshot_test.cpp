// Every text view of a profile without a GPU; see golden.h.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "cli/report/report.h"
#include "formats/profile/profile_db.h"
#include "golden.h"
#include "sample_profile.h"

namespace gprofx::testing {
namespace {

struct NamedView {
  const char* name;
  std::vector<std::string> args;
};

const std::vector<NamedView>& Views() {
  static const std::vector<NamedView> views = {
      {"top", {}},
      {"top-3", {"--top", "3"}},
      {"top-by-module", {"--by", "module"}},
      {"top-by-line", {"--by", "line"}},
      {"top-by-thread", {"--by", "thread"}},
      {"top-by-process", {"--by", "process"}},
      {"top-all-frames", {"--all-frames"}},
      {"tree", {"--tree"}},
      {"tree-by-function", {"--tree", "--by", "function"}},
      {"tree-limit", {"--tree", "--limit", "5"}},
      {"tree-focus", {"--tree", "--focus", "Mlp|collate", "--ignore", "list_sort"}},
      {"callers", {"--callers", "cblas_sgemm"}},
      {"lines", {"--lines"}},
      {"threads", {"--threads"}},
      {"samples", {"--metric", "samples"}},
      {"top-python", {"--view", "python"}},
      {"top-native", {"--view", "native"}},
      {"tree-python", {"--tree", "--view", "python"}},
  };
  return views;
}

}  // namespace

TEST_CASE("report_stable_at_80_and_120_columns") {
  const Profile profile = TrainingProfile();
  for (const NamedView& view : Views()) CheckGolden(profile, view.name, view.args);
}

TEST_CASE("the interpreter's families, waiting and pools of threads") {
  const Profile profile = PoolProfile();
  CheckGolden(profile, "pool-top", {});
  CheckGolden(profile, "pool-top-all-frames", {"--all-frames"});
  // The first row only waits: the hint goes on from the next.
  CheckGolden(profile, "pool-top-waits", {"--ignore", "dgemm"});
  CheckGolden(profile, "pool-python", {"--view", "python"});
  CheckGolden(profile, "pool-threads", {"--threads"});
  CheckGolden(profile, "pool-threads-all-frames", {"--threads", "--all-frames"});
}

TEST_CASE("a report of hostile names is harmless text") {
  const Profile profile = HostileProfile();
  for (const NamedView& view : Views()) {
    if (std::string(view.name) == "callers") continue;
    INFO(view.name);
    const std::string text = RenderView(profile, view.args, 80);
    for (const char c : text) REQUIRE((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  }
  CheckGolden(profile, "hostile-top", {});
  CheckGolden(profile, "hostile-tree", {"--tree"});
}

TEST_CASE("degraded, unfinished and noisy recordings say so above the table") {
  Profile profile = TrainingProfile();
  profile.meta.erase("complete");
  profile.meta["rate_reached_hz"] = "250";
  profile.meta["kernel_time"] = "excluded";
  profile.meta["problems"] = "one\ntwo\n\nthree\nfour\nfive";
  profile.quality["lost_ns"] = 2'000'000'000;
  profile.quality["truncated_stacks"] = 9'000;
  CheckGolden(profile, "degraded", {"--top", "2"});
}

TEST_CASE("a profile without samples still reports") { CheckGolden(Profile(), "empty", {}); }

TEST_CASE("colour only when asked for") {
  const Profile profile = TrainingProfile();
  ReportSurroundings around;
  around.screen.color = true;
  const auto text = RenderReport(profile, {}, around);
  REQUIRE(text);
  CHECK(text->find("\x1b[1m") != std::string::npos);
  CHECK(text->find("\x1b[32m[good]") != std::string::npos);
}

TEST_CASE("a profile reads the same after its way through a file") {
  const std::string folder = "/tmp/gprofx-cli-test-XXXXXX";
  std::vector<char> name(folder.begin(), folder.end());
  name.push_back('\0');
  REQUIRE(mkdtemp(name.data()) != nullptr);
  const std::filesystem::path path = std::filesystem::path(name.data()) / "p.gprofx";
  for (const Profile& profile : {TrainingProfile(), HostileProfile()}) {
    std::filesystem::remove(path);
    {
      auto writer = ProfileWriter::Create(path.string());
      REQUIRE(writer);
      REQUIRE(writer->Commit(profile));
      REQUIRE(writer->Finish(profile, {}));
    }
    const auto loaded = LoadProfile(path.string());
    REQUIRE(loaded);
    for (const NamedView& view : Views()) {
      if (std::string(view.name) == "callers") continue;
      CHECK(RenderView(*loaded, view.args, 120) == RenderView(profile, view.args, 120));
    }
    // Seeds of the report's fuzz target: GPROFX_SEEDS=DIR, then "PRAGMA page_size=512; VACUUM"
    // makes them small.
    if (const char* seeds = getenv("GPROFX_SEEDS")) {
      std::filesystem::copy_file(
          path, std::filesystem::path(seeds) / std::to_string(profile.nodes.size()));
    }
  }
  std::filesystem::remove_all(name.data());
}

}  // namespace gprofx::testing
