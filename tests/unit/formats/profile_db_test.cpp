#include "formats/profile/profile_db.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::ReadSamples;
using test::TempFolder;

bool SameRow(const SampleRow& a, const SampleRow& b) {
  return a.time == b.time && a.thread == b.thread && a.node == b.node && a.weight == b.weight &&
         a.state == b.state;
}

TEST_CASE("a committed profile comes back row by row") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  Profile profile = test::RandomProfile(1, 3000);
  profile.Intern(std::string_view("zero \0 inside", 13));
  profile.Intern("\xff\xfe not UTF-8 \x1b[31m");
  profile.meta["empty"] = "";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  REQUIRE(writer->Commit(profile).ok());
  const Result<Profile> loaded = LoadProfile(path);
  REQUIRE(loaded.ok());
  test::CheckSame(*loaded, profile);
  CHECK(loaded->meta.at("command") == "python3 a.py");
  CHECK(loaded->meta.at("empty") == "");
  CHECK(loaded->meta.at("schema") == "1.5");
}

TEST_CASE("each commit brings the file up to a profile that grows and changes") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  Profile profile = test::RandomProfile(2, 100);
  std::vector<SampleRow> all;
  for (uint32_t round = 0; round < 10; ++round) {
    const FrameId frame{1 + round};
    const NodeId node = profile.Child(NodeId{1 + round}, frame);
    profile.AddSelf(node, ThreadId{1}, MetricId{1}, 5);
    profile.AddSelf(NodeId{2}, ThreadId{2}, MetricId{1}, 7);
    profile.threads[0].cpu_ns += 1000;
    profile.processes[0].end = round;
    profile.modules[1].flags = round;
    profile.ranges[0].end = 0x9000 + round;
    profile.quality["samples_lost"] = round;
    profile.meta["round"] = std::to_string(round);
    profile.Intern("round " + std::to_string(round));
    const std::vector<SampleRow> rows = test::SomeSamples(profile, 50, round * 1000000);
    all.insert(all.end(), rows.begin(), rows.end());
    writer->AppendSamples(rows);
    REQUIRE(writer->Commit(profile).ok());
    const Result<Profile> loaded = LoadProfile(path);
    REQUIRE(loaded.ok());
    test::CheckSame(*loaded, profile);
    CHECK(loaded->meta.at("round") == std::to_string(round));
    CHECK(loaded->sample_rows == static_cast<int64_t>(all.size()));
  }
  const std::vector<SampleRow> read = test::AllSamples(path);
  REQUIRE(read.size() == all.size());
  CHECK(std::equal(read.begin(), read.end(), all.begin(), SameRow));
}

TEST_CASE("unfinished_recording_is_reported") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  const Profile profile = test::RandomProfile(3, 10);
  {
    Result<ProfileWriter> writer = ProfileWriter::Create(path);
    REQUIRE(writer.ok());
    CHECK(LoadProfile(path)->meta.at("complete") == "no");  // from the first moment on
    REQUIRE(writer->Commit(profile).ok());
  }
  CHECK(LoadProfile(path)->meta.at("complete") == "no");
}

TEST_CASE("clean_end_leaves_one_file, with the timeline in large chunks through node_of") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  const Profile raw = test::RandomProfile(4, 2000);
  const Resolved resolved = Resolve(raw, test::RandomNames(raw));
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  std::vector<SampleRow> expected;
  for (int second = 0; second < 40; ++second) {
    const std::vector<SampleRow> rows = test::SomeSamples(raw, 2500, second * 1000000000LL);
    expected.insert(expected.end(), rows.begin(), rows.end());
    writer->AppendSamples(rows);
    if (second < 39) REQUIRE(writer->Commit(raw).ok());  // the last second is still in memory
  }
  REQUIRE(writer->Finish(resolved.profile, resolved.node_of).ok());
  CHECK(folder.Names() == std::vector<std::string>{"profile.gprofx"});
  for (SampleRow& row : expected) row.node = resolved.node_of[row.node.index()];

  const Result<Profile> loaded = LoadProfile(path);
  REQUIRE(loaded.ok());
  test::CheckSame(*loaded, resolved.profile);
  CHECK(loaded->meta.at("complete") == "yes");
  CHECK(loaded->sample_rows == 100000);
  const std::vector<SampleRow> read = test::AllSamples(path);
  REQUIRE(read.size() == expected.size());
  CHECK(std::equal(read.begin(), read.end(), expected.begin(), SameRow));
  CHECK_FALSE(writer->Commit(raw).ok());  // it is over
}

TEST_CASE("a range of time gives exactly its rows") {
  TempFolder folder;
  const Profile profile = test::RandomProfile(5, 50);
  const std::string path = test::WriteFinished(folder, profile, 200000);
  int64_t seen = 0;
  const Result<int64_t> rows =
      ReadSamples(path, 1000000, 2000000, [&](std::span<const SampleRow> batch) {
        for (const SampleRow& row : batch) seen += row.time >= 1000000 && row.time < 2000000;
      });
  REQUIRE(rows.ok());
  CHECK(*rows == 1000);
  CHECK(seen == 1000);
}

TEST_CASE("a hundred thousand values are stored to the unit, in SQL and in chunks alike") {
  TempFolder folder;
  Profile profile = test::RandomProfile(6, 20000, 8);
  const std::string path = test::WriteFinished(folder, profile, 10);
  const Result<Profile> loaded = LoadProfile(path);
  REQUIRE(loaded.ok());
  test::CheckSame(*loaded, profile);
  test::Forge(path, "UPDATE stream SET rows=0 WHERE id=2");  // now the rows of SQL are read
  const Result<Profile> by_sql = LoadProfile(path);
  REQUIRE(by_sql.ok());
  test::CheckSame(*by_sql, profile);
}

TEST_CASE("a timeline costs at most 6 bytes per sample") {
  TempFolder folder;
  const Profile profile = test::RandomProfile(7, 20000, 16);
  const std::string bare = test::WriteFinished(folder, profile, 0);
  struct stat info;
  REQUIRE(stat(bare.c_str(), &info) == 0);
  const int64_t bare_size = info.st_size;
  constexpr size_t kSamples = 300000;
  const std::string full = test::WriteFinished(folder, profile, kSamples);
  REQUIRE(stat(full.c_str(), &info) == 0);
  CHECK((info.st_size - bare_size) <= static_cast<int64_t>(6 * kSamples));
}

TEST_CASE("the manual page names every table, column and stream of a profile") {
  if (system("python3 -c 'import sqlite3' 2>/dev/null") != 0) {
    WARN("skipped: python3 with sqlite3 is needed");
    return;
  }
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
  const std::string root = GPROFX_SOURCE_DIR;
  const std::string script = root + "/tests/unit/formats/check_man.py";
  const std::string page = root + "/man/gprof-x-format.5";
  CHECK(system(("python3 '" + script + "' '" + page + "' '" + path + "'").c_str()) == 0);
}

// The independent reader in Python must see the same totals. Skipped where python3 or zstd is
// missing.
TEST_CASE("a reader written from the manual page alone sees the same sums") {
  if (system("python3 -c 'import sqlite3' 2>/dev/null && zstd --version >/dev/null 2>&1") != 0) {
    WARN("skipped: python3 with sqlite3 and zstd are needed");
    return;
  }
  TempFolder folder;
  const Profile raw = test::RandomProfile(8, 3000);
  const Resolved resolved = Resolve(raw, test::RandomNames(raw));
  const std::string path = test::WriteFinished(folder, resolved.profile, 70000, 300);
  std::string expected =
      "complete yes\nnodes " + std::to_string(resolved.profile.nodes.size()) + "\n";
  for (uint32_t metric = 1; metric <= 2; ++metric) {
    int64_t sum = 0;
    for (const Value& value : resolved.profile.values) {
      if (value.metric.value == metric) sum += value.self;
    }
    expected +=
        "metric " + resolved.profile.metrics[metric - 1].name + " " + std::to_string(sum) + "\n";
  }
  int64_t weight = 0;
  for (const SampleRow& row : test::AllSamples(path)) weight += row.weight;
  expected += "samples 70000\nweight " + std::to_string(weight) + "\n";

  const std::string reader = GPROFX_SOURCE_DIR "/tests/e2e/support/read_profile.py";
  FILE* pipe = popen(("python3 '" + reader + "' '" + path + "'").c_str(), "r");
  REQUIRE(pipe);
  std::string printed;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof(buffer), pipe)) printed.append(buffer, got);
  CHECK(pclose(pipe) == 0);
  CHECK(printed == expected);
}

}  // namespace
}  // namespace gprofx
