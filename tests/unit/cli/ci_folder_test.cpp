// What gprof-x ci keeps and reads again: the folder of a job, the store of baselines, histories.
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "cli/baseline_store.h"
#include "cli/ci/history.h"
#include "cli/ci/job_folder.h"
#include "cli/folders.h"
#include "core/base/sha256.h"
#include "core/base/unique_fd.h"
#include "temp_folder.h"

namespace gprofx {
namespace {

bool IsThere(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

TEST_CASE("the folder of a job is its own") {
  const TempFolder temp;
  const std::string path = temp.path + "/a/b";
  const Result<JobFolder> folder = JobFolder::Make(path, false);
  REQUIRE(folder);
  REQUIRE(folder->PathOf("base/01"));
  WriteFile(path + "/base/01.gprofx", "old");
  WriteFile(path + "/base/mine.txt", "mine");
  WriteFile(path + "/notes", "mine");
  CHECK_THAT(JobFolder::Make(path, false).error().Text(), Catch::Contains("--force"));
  REQUIRE(JobFolder::Make(path, true));
  CHECK_FALSE(std::ifstream(path + "/base/01.gprofx").good());
  CHECK(std::ifstream(path + "/base/mine.txt").good());
  CHECK(std::ifstream(path + "/notes").good());
  CHECK(JobFolder::Make(path, false));  // nothing of a job is left
  REQUIRE(folder->Write("verdict.txt", "text"));
  CHECK_FALSE(JobFolder::Make(path, false));
  CHECK_FALSE(JobFolder::Make(path + "/notes", false));
}

TEST_CASE("only what a job writes is removed, and nothing through links") {
  const TempFolder temp;
  const std::string path = temp.path + "/out";
  REQUIRE(mkdir(path.c_str(), 0700) == 0);
  REQUIRE(mkdir((path + "/base").c_str(), 0700) == 0);
  const char* mine[] = {"/base/access.log", "/base/profile.gprofx", "/base/1.log",
                        "/base/01.log.gz"};
  const char* of_job[] = {"/base/01.gprofx", "/base/01.log", "/base/123.gprofx.old",
                          "/verdict.txt"};
  for (const char* name : mine) WriteFile(path + name, "mine");
  CHECK(JobFolder::Make(path, false));
  for (const char* name : of_job) WriteFile(path + name, "old");
  REQUIRE(JobFolder::Make(path, true));
  for (const char* name : mine) CHECK(IsThere(path + name));
  for (const char* name : of_job) CHECK_FALSE(IsThere(path + name));

  const std::string elsewhere = temp.path + "/elsewhere";
  REQUIRE(mkdir(elsewhere.c_str(), 0700) == 0);
  WriteFile(elsewhere + "/01.gprofx", "mine");
  WriteFile(path + "/base/02.gprofx", "old");
  REQUIRE(symlink(elsewhere.c_str(), (path + "/head").c_str()) == 0);
  for (const bool force : {false, true}) {
    CHECK_THAT(JobFolder::Make(path, force).error().Text(),
               Catch::Contains("/head': it is a symbolic link"));
  }
  CHECK(IsThere(elsewhere + "/01.gprofx"));
  CHECK(IsThere(path + "/base/02.gprofx"));  // nothing was removed before that was seen
}

TEST_CASE("a side does not run in a folder for profiles") {
  const TempFolder temp;
  REQUIRE(MakeFolders(temp.path + "/base/src", ""));
  REQUIRE(MakeFolders(temp.path + "/baseline", ""));
  REQUIRE(symlink("base", (temp.path + "/link").c_str()) == 0);
  for (const char* side : {"/base", "/base/src", "/link"}) {
    INFO(side);
    const Result<JobFolder> folder = JobFolder::Make(temp.path, true, {"", temp.path + side});
    REQUIRE_FALSE(folder);
    CHECK_THAT(folder.error().Text(),
               Catch::Contains("is the folder of the profiles and of a side"));
  }
  CHECK(JobFolder::Make(temp.path, true, {temp.path, temp.path + "/baseline"}));
  CHECK(JobFolder::Make(temp.path + "/out", true, {temp.path + "/base"}));
}

TEST_CASE("new folders go again unless they are kept") {
  const TempFolder temp;
  {
    NewFolders folders;
    REQUIRE(folders.Make(temp.path + "/a/b", ""));
    CHECK(IsThere(temp.path + "/a/b"));
  }
  CHECK_FALSE(IsThere(temp.path + "/a"));
  {
    NewFolders folders;
    REQUIRE(folders.Make(temp.path + "/a/b", ""));
    folders.Keep();
  }
  {
    NewFolders folders;
    REQUIRE(folders.Make(temp.path + "/a/b", ""));  // was there
  }
  CHECK(IsThere(temp.path + "/a/b"));
  WriteFile(temp.path + "/file", "");
  CHECK_THAT(NamesIn(temp.path + "/file").error().Text(), Catch::Contains("Not a directory"));
  CHECK(NamesIn(temp.path + "/none")->empty());
}

TEST_CASE("a baseline as text and back; what is none is refused") {
  Baseline baseline{"main",
                    "abc",
                    "2026-01-31T12:00:00Z",
                    {{std::string(64, 'a'), "01.gprofx", 7}},
                    {{"CPU", "X\x01"}},
                    {{"command", "job"}},
                    "cpu",
                    1e9};
  const std::string text = BaselineText(baseline);
  const std::optional<Baseline> back = ParseBaseline(text);
  REQUIRE(back);
  CHECK(BaselineText(*back) == text);
  CHECK(back->files[0].bytes == 7);
  for (const char* bad :
       {"", "[]", "{}", "{\"schema\":\"gprof-x.baseline/1\"}",
        "{\"schema\":\"gprof-x.baseline/1\",\"name\":\"x\",\"files\":[]}",
        "{\"schema\":\"gprof-x.baseline/1\",\"name\":\"x\",\"files\":[{\"sha256\":\"../x\"}]}",
        "{\"schema\":\"gprof-x.baseline/1\",\"name\":\"x\",\"files\":[3]}"}) {
    CHECK_FALSE(ParseBaseline(bad));
  }
  CHECK(IsBaselineName("main"));
  CHECK(IsBaselineName("v1.2_a-b"));
  for (const char* bad : {"", ".", "..", "a/b", "-x", "a b", "a\n"})
    CHECK_FALSE(IsBaselineName(bad));
}

TEST_CASE("a store keeps contents once, proves them and forgets old ones") {
  const TempFolder temp;
  WriteFile(temp.path + "/one", "one");
  WriteFile(temp.path + "/two", "two");
  BaselineStore store(temp.path + "/deep/store");
  CHECK_FALSE(store.All());
  REQUIRE(store.Save("main", "c1", {temp.path + "/one", temp.path + "/two"}, {}));
  REQUIRE(store.Save("main", "c2", {temp.path + "/one"}, {}));
  const Result<std::vector<Baseline>> list = store.Named("main");
  REQUIRE(list);
  REQUIRE(list->size() == 2);
  CHECK(list->back().commit == "c2");
  CHECK(list->front().files[0].sha256 == list->back().files[0].sha256);
  const Result<std::vector<std::string>> files = store.FilesOf(list->front());
  REQUIRE(files);
  REQUIRE(files->size() == 2);
  const Result<BaselineStore::Pruned> pruned = store.Prune(1);
  REQUIRE(pruned);
  CHECK(pruned->baselines == 1);
  CHECK(pruned->files == 1);
  REQUIRE(store.FilesOf(list->back()));
  CHECK_THAT(store.FilesOf(list->front()).error().Text(), Catch::Contains("missing"));
  WriteFile((*files)[0], "One");
  CHECK_THAT(store.FilesOf(list->back()).error().Text(), Catch::Contains("damaged"));
  REQUIRE(store.Save("main", "c3", {temp.path + "/one"}, {}));  // saving again mends it
  CHECK(store.FilesOf(list->back()));
  CHECK_FALSE(store.Named("other"));
  CHECK_FALSE(store.Named("../main"));
  CHECK_FALSE(store.Save("main", "", {temp.path + "/none"}, {}));
}

TEST_CASE("a hash in pieces is the hash of the whole") {
  const std::string text(1000, 'q');
  for (const size_t piece : {1, 63, 64, 65, 999}) {
    Sha256Sum sum;
    for (size_t at = 0; at < text.size(); at += piece) {
      sum.Add(std::string_view(text).substr(at, piece));
    }
    CHECK(sum.Finish() == Sha256(text));
  }
}

TEST_CASE("what is saved while a store waits to be pruned stays") {
  const TempFolder temp;
  const std::string path = temp.path + "/store";
  WriteFile(temp.path + "/one", "one");
  WriteFile(temp.path + "/two", "two");
  BaselineStore store(path);
  REQUIRE(store.Save("main", "", {temp.path + "/one"}, {}));
  std::thread prune;
  {
    const UniqueFd lock(open((path + "/lock").c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(flock(lock.get(), LOCK_SH) == 0);
    prune = std::thread([&] { CHECK(BaselineStore(path).Prune(1)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // it waits now
    CHECK(store.Save("other", "", {temp.path + "/two"}, {}));
  }
  prune.join();
  const Result<std::vector<Baseline>> list = store.Named("other");
  REQUIRE(list);
  CHECK(store.FilesOf(list->back()));
}

TEST_CASE("a program with long arguments does not damage the store") {
  const TempFolder temp;
  WriteFile(temp.path + "/one", "one");
  BaselineStore store(temp.path + "/store");
  compare::Run run;
  run.workload["arguments"] = std::string(size_t{2} << 20, 'x');
  REQUIRE(store.Save("main", "", {temp.path + "/one"}, {run}));
  const Result<std::vector<Baseline>> list = store.All();
  REQUIRE(list);
  CHECK(list->front().workload.at("arguments").size() < 5000);
  // What cannot be shortened is refused, and leaves the others readable.
  const std::string commit(size_t{2} << 20, 'c');
  CHECK_THAT(store.Save("main", commit, {temp.path + "/one"}, {}).error().Text(),
             Catch::Contains("too large"));
  CHECK(store.All());
}

TEST_CASE("a store that cannot be read says why") {
  const TempFolder temp;
  WriteFile(temp.path + "/names", "no folder");
  BaselineStore store(temp.path);
  CHECK_THAT(store.All().error().Text(), Catch::Contains("Not a directory"));
  CHECK_THAT(store.Prune(1).error().Text(), Catch::Contains("Not a directory"));
}

TEST_CASE("the history of versions names the one that changed a function") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<HistoryVersion> versions;
  for (int v = 0; v < 12; ++v) {
    HistoryVersion& version = versions.emplace_back();
    version.name = "c" + std::to_string(v);
    for (int r = 0; r < 3; ++r) {
      compare::Run& run = version.runs.emplace_back();
      for (const char* name : {"parse", "render", "load", "rare"}) {
        compare::Part part;
        part.kind = FrameKind::kPython;
        part.name = name;
        part.ns = 1e9 * std::exp(0.01 * normal(random));
        if (part.name == "render" && v >= 7) part.ns *= 1.3;
        if (part.name == "rare" && v % 2 == 0) continue;  // not in all versions
        run.total_ns += part.ns;
        run.functions[name] = part;
      }
    }
  }
  const std::vector<HistorySeries> all = HistoryOf(versions, 10);
  REQUIRE(all.size() == 4);
  CHECK(all[0].kind.empty());
  for (const HistorySeries& series : all) {
    INFO(series.name);
    if (series.name == "render") {
      REQUIRE(series.changes.size() == 1);
      CHECK(versions[series.changes[0].at].name == "c7");
      CHECK(std::exp(series.changes[0].after - series.changes[0].before) ==
            Approx(1.3).margin(0.02));
    } else if (!series.kind.empty()) {
      CHECK(series.changes.empty());
    }
  }
  CHECK(HistoryOf(versions, 1).size() == 2);
}

}  // namespace gprofx
