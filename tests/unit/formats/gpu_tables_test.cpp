// The GPU tables of a profile, in all versions of the schema.
#include <catch2/catch.hpp>

#include "core/model/sources.h"
#include "formats/profile/profile_db.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::ReadCubins;
using test::ReadEvents;
using test::ReadSources;
using test::TempFolder;

void CheckGpu(const std::string& path, const GpuTables& expected) {
  const Result<Profile> loaded = LoadProfile(path);
  INFO((loaded ? "" : loaded.error().Text()));
  REQUIRE(loaded.ok());
  CHECK(loaded->gpu.devices == expected.devices);
  CHECK(loaded->gpu.contexts == expected.contexts);
  CHECK(loaded->gpu.streams == expected.streams);
  CHECK(loaded->gpu.configs == expected.configs);
  CHECK(loaded->gpu.wall == expected.wall);
  CHECK(loaded->gpu.lanes == expected.lanes);
  CHECK(loaded->gpu.cubins.empty());
  CHECK(loaded->gpu.sources.empty());
  CHECK(loaded->quality.count("unknown_tables") == 0);
  CHECK(*ReadCubins(path) == expected.cubins);
  CHECK(*ReadSources(path) == expected.sources);
}

TEST_CASE("GPU tables come back as they grow and change") {
  TempFolder folder;
  const std::string path = folder / "profile.gprofx";
  Profile profile = test::RandomProfile(41, 100);
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  for (uint32_t round = 0; round < 4; ++round) {
    REQUIRE(writer->Commit(profile).ok());
    CheckGpu(path, profile.gpu);
    profile.gpu.devices[0].clock_hz += 1;
    profile.gpu.contexts.push_back({ProcessId{1}, 1, round});
    profile.gpu.streams[0].priority = -static_cast<int32_t>(round);
    profile.gpu.configs.push_back({FunctionId{2}, {~0U, 1, 1}, {round, 1, 1}});
    profile.gpu.cubins.push_back({~uint64_t{0} - round, std::vector<std::byte>(round)});
    profile.gpu.sources.push_back({StringId{1}, "round " + std::to_string(round)});
    profile.gpu.wall.resize(1 + round % 2);
    profile.gpu.wall[0] = {"gpu.compute", round};
  }
  REQUIRE(writer->Finish(profile, {}).ok());
  CheckGpu(path, profile.gpu);
}

TEST_CASE("code and texts that no reader takes are left away") {
  TempFolder folder;
  Profile profile;
  profile.gpu.cubins.push_back({1, std::vector<std::byte>((size_t{48} << 20) + 1)});
  profile.gpu.cubins.push_back({2, std::vector<std::byte>(size_t{48} << 20)});
  profile.gpu.sources.push_back({StringId{}, std::string((size_t{48} << 20) + 1, 'x')});
  const std::string path = test::WriteFinished(folder, profile, 0);
  const Result<std::vector<GpuCubin>> cubins = ReadCubins(path);
  REQUIRE(cubins.ok());
  REQUIRE(cubins->size() == 2);
  CHECK((*cubins)[0].data.empty());
  CHECK((*cubins)[1] == profile.gpu.cubins[1]);
  CHECK((*ReadSources(path))[0].text.empty());
}

TEST_CASE("source texts beyond a limit are left out") {
  TempFolder many, large;
  Profile profile;
  for (int i = 0; i < 20'010; ++i) profile.gpu.sources.push_back({StringId{}, "x"});
  CHECK(ReadSources(test::WriteFinished(many, profile, 0))->size() == 20'000);
  profile.gpu.sources = {{StringId{}, std::string(size_t{40} << 20, 'a')},
                         {StringId{}, std::string(size_t{40} << 20, 'b')},
                         {StringId{}, "c"}};
  const Result<std::vector<SourceText>> sources =
      ReadSources(test::WriteFinished(large, profile, 0));
  REQUIRE(sources.ok());
  REQUIRE(sources->size() == 1);
  CHECK((*sources)[0].text.starts_with('a'));
}

TEST_CASE("GPU rows that make no sense are refused") {
  const std::string refused[] = {
      "UPDATE gpu_device SET name=100000",
      "UPDATE gpu_device SET multiprocessors=-1",
      "UPDATE gpu_device SET memory_bytes=-1",
      "UPDATE gpu_device SET id=id+10",
      "UPDATE gpu_context SET process=9",
      "UPDATE gpu_context SET device=9",
      "UPDATE gpu_stream SET context=9",
      "UPDATE gpu_stream SET priority=4294967296",
      "UPDATE gpu_kernel_config SET function=1000",
      "UPDATE gpu_kernel_config SET local_bytes=4294967296",
      "UPDATE gpu_kernel_config SET id=id+10",
      "UPDATE wall_part SET ns=-1",
      "UPDATE wall_part SET margin_ns=-1",
      "UPDATE wall_lane SET process=9",
      "UPDATE wall_lane SET device=9",
      "UPDATE wall_lane SET end_ns=begin_ns-1",
      "UPDATE wall_lane SET hidden_communication_ns=-1",
      "UPDATE wall_lane_part SET lane=0",
      "UPDATE wall_lane_part SET lane=4",
      "UPDATE wall_lane_part SET ns=-1",
      "UPDATE wall_lane_part SET margin_ns=-1",
      "UPDATE wall_lane_part SET name=hex(zeroblob(35000000))",
      "UPDATE wall_part SET name=hex(zeroblob(35000000))",
      "ALTER TABLE wall_part ADD COLUMN bomb AS (hex(zeroblob(100000000)))",
      "DROP TABLE gpu_device; CREATE TABLE gpu_device(id INTEGER PRIMARY KEY)",
  };
  for (const std::string& sql : refused) {
    TempFolder folder;
    const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
    REQUIRE(LoadProfile(path).ok());
    test::Forge(path, sql);
    INFO(sql);
    CHECK_FALSE(LoadProfile(path).ok());
  }
}

TEST_CASE("cubins and sources that make no sense are refused when they are read") {
  const std::string refused[] = {
      "UPDATE cubin SET hash='123'; UPDATE source SET path=-1",
      "UPDATE cubin SET hash='000000000000000g'; UPDATE source SET path=100000",
      "UPDATE cubin SET hash='-00000000000000a'; UPDATE source SET id=id+10",
      "UPDATE cubin SET data=zeroblob(70000000); UPDATE source SET text=zeroblob(70000000)",
      "UPDATE cubin SET id=id+10; UPDATE source SET id=id+10",
  };
  for (const std::string& sql : refused) {
    TempFolder folder;
    const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
    REQUIRE((ReadCubins(path).ok() && ReadSources(path).ok()));
    test::Forge(path, sql);
    INFO(sql);
    CHECK(LoadProfile(path).ok());
    CHECK_FALSE(ReadCubins(path).ok());
    CHECK_FALSE(ReadSources(path).ok());
  }
  CHECK_FALSE(ReadCubins("/nowhere").ok());
  CHECK_FALSE(ReadSources("/nowhere").ok());
}

TEST_CASE("before schema 1.5 nobody knew how well parts of the wall time are known") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
  CHECK(LoadProfile(path)->gpu.wall[0].margin_ns == 50);
  CHECK(LoadProfile(path)->gpu.lanes[0].parts[0].margin_ns == 30);
  test::Forge(path,
              "ALTER TABLE wall_part DROP COLUMN margin_ns;"
              "ALTER TABLE wall_lane_part DROP COLUMN margin_ns; PRAGMA user_version=1004");
  const Result<Profile> profile = LoadProfile(path);
  REQUIRE(profile.ok());
  CHECK(profile->gpu.wall[0] == WallPart{"gpu.compute", 700, 0});
  CHECK(profile->gpu.lanes[0].parts[0] == WallPart{"gpu.communication", 400, 0});
}

TEST_CASE("files of every older schema are one source, which all of their sums belong to") {
  const std::string corpus = GPROFX_SOURCE_DIR "/tests/fuzz/corpus/profile_db/";
  for (const char* schema : {"1.0", "1.1", "1.2"}) {
    for (const char* state : {"finished-", "unfinished-"}) {
      INFO(state << schema);
      const Result<Profile> profile = LoadProfile(corpus + state + schema);
      REQUIRE(profile.ok());
      REQUIRE(SourcesOf(*profile).size() == 1);
      for (uint32_t id = 1; id <= profile->processes.size(); ++id) {
        CHECK(SourceOf(*profile, ProcessId{id}) == SourceId{1});
      }
      std::vector<int64_t> sums(profile->metrics.size());
      for (const Value& value : profile->values) sums[value.metric.index()] += value.self;
      for (uint32_t id = 1; id <= profile->metrics.size(); ++id) {
        CHECK(SumsBySource(*profile, MetricId{id}) == std::vector<int64_t>{sums[id - 1]});
      }
    }
  }
}

TEST_CASE("files of schema 1.2 are read") {
  const std::string corpus = GPROFX_SOURCE_DIR "/tests/fuzz/corpus/profile_db/";
  for (const char* name : {"finished-1.2", "unfinished-1.2"}) {
    INFO(name);
    const Result<Profile> profile = LoadProfile(corpus + name);
    REQUIRE(profile.ok());
    CHECK(profile->meta.at("schema") == "1.2");
    CHECK(profile->nodes.size() == 40);
    CHECK(profile->sources.empty());
  }
}

TEST_CASE("files of schema 1.1 are read") {
  const std::string corpus = GPROFX_SOURCE_DIR "/tests/fuzz/corpus/profile_db/";
  for (const char* name : {"finished-1.1", "unfinished-1.1"}) {
    INFO(name);
    const Result<Profile> profile = LoadProfile(corpus + name);
    REQUIRE(profile.ok());
    CHECK(profile->meta.at("schema") == "1.1");
    CHECK(profile->nodes.size() == 40);
    CHECK(profile->gpu.wall.size() == 3);
    CHECK(profile->gpu.lanes.empty());
  }
}

TEST_CASE("files of schema 1.0 are read") {
  const std::string corpus = GPROFX_SOURCE_DIR "/tests/fuzz/corpus/profile_db/";
  for (const char* name : {"finished-1.0", "unfinished-1.0"}) {
    INFO(name);
    const Result<Profile> profile = LoadProfile(corpus + name);
    REQUIRE(profile.ok());
    CHECK(profile->meta.at("schema") == "1.0");
    CHECK(profile->nodes.size() == 40);
    CHECK(profile->quality.count("unknown_tables") == 0);
    CHECK(profile->gpu.wall.empty());
    CHECK(test::AllSamples(corpus + name).size() == 50);
    CHECK(ReadCubins(corpus + name)->empty());
    CHECK(ReadSources(corpus + name)->empty());
    CHECK(*ReadEvents(corpus + name, Stream::kKernels, {}, 0, 1, [](const EventTable&) {}) == 0);
  }
}

}  // namespace
}  // namespace gprofx
