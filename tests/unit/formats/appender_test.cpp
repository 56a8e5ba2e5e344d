// What is added to a finished profile: findings and tables of later analyses.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "formats/profile/profile_appender.h"
#include "formats/profile/profile_db.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::TempFolder;

const std::vector<Finding> kFindings = {
    {"sync_in_step", NodeId{7}, 1500, "loss.item() in train.py"}, {"idle", NodeId{}, 0, ""}};

AddedTable Forecast(size_t rows) {
  AddedTable table{
      "forecast",
      {{"device", CellType::kText}, {"ns", CellType::kInteger}, {"low", CellType::kReal}},
      {}};
  for (size_t i = 0; i < rows; ++i) {
    table.rows.push_back({"B200 #" + std::to_string(i), static_cast<int64_t>(i) - 5, 0.5});
  }
  return table;
}

Result<ProfileAppender> Open(const std::string& path) {
  Result<ProfileAppender> appender = ProfileAppender::Open(path);
  INFO((appender ? "" : appender.error().Text()));
  REQUIRE(appender.ok());
  return appender;
}

std::vector<Finding> FindingsOf(const std::string& path) {
  const auto reader = ProfileReader::Open(path);
  REQUIRE(reader.ok());
  auto findings = reader->Findings();
  INFO((findings ? "" : findings.error().Text()));
  REQUIRE(findings.ok());
  return *findings;
}

std::optional<AddedTable> ForecastOf(const std::string& path) {
  const auto reader = ProfileReader::Open(path);
  REQUIRE(reader.ok());
  auto table = reader->Added("forecast");
  INFO((table ? "" : table.error().Text()));
  REQUIRE(table.ok());
  return *table;
}

TEST_CASE("findings and tables come back, and the recording is as it was") {
  TempFolder folder;
  const Profile profile = test::RandomProfile(61, 50);
  const std::string path = test::WriteFinished(folder, profile, 100);
  CHECK(FindingsOf(path).empty());
  CHECK_FALSE(ForecastOf(path));
  {
    auto appender = Open(path);
    REQUIRE(appender->Append(kFindings).ok());
    REQUIRE(appender->Append(Forecast(1000)).ok());
    REQUIRE(appender->Commit().ok());
    CHECK_FALSE(appender->Commit().ok());
  }
  CHECK(FindingsOf(path) == kFindings);
  const auto forecast = ForecastOf(path);
  REQUIRE(forecast);
  CHECK(forecast->columns == Forecast(0).columns);
  CHECK(forecast->rows == Forecast(1000).rows);
  Result<Profile> loaded = LoadProfile(path);
  REQUIRE(loaded.ok());
  CHECK(loaded->quality.at("unknown_tables") == 1);  // this version's Load has no use for it
  loaded->quality.erase("unknown_tables");
  test::CheckSame(*loaded, profile);
  CHECK(test::AllSamples(path).size() == 100);
}

TEST_CASE("what is added again stands behind, after a Clear alone") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(61, 50), 0);
  for (size_t round = 1; round <= 3; ++round) {
    auto appender = Open(path);
    REQUIRE(appender->Append(kFindings).ok());
    REQUIRE(appender->Append(Forecast(2)).ok());
    REQUIRE(appender->Commit().ok());
    CHECK(FindingsOf(path).size() == round * 2);
    CHECK(ForecastOf(path)->rows.size() == round * 2);
  }
  auto appender = Open(path);
  REQUIRE(appender->Clear("finding").ok());
  REQUIRE(appender->Clear("never_made").ok());
  REQUIRE(appender->Append({kFindings.data(), 1}).ok());
  REQUIRE(appender->Commit().ok());
  CHECK(FindingsOf(path) == std::vector{kFindings[0]});
}

TEST_CASE("nothing is added without a Commit, or after an error") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(61, 50), 0);
  const std::string before = test::ReadBytes(path);
  { REQUIRE(Open(path)->Append(kFindings).ok()); }
  CHECK(test::ReadBytes(path) == before);
  const Finding lost{"rule", NodeId{51}, 0, ""};
  AddedTable ragged = Forecast(1), other = Forecast(1), recorded = Forecast(1), odd = Forecast(1);
  ragged.rows[0].pop_back();
  other.rows[0][1] = 2.5;
  recorded.name = "node";
  odd.name = "x(a); DROP TABLE node; --";
  for (const AddedTable& table : {ragged, other, recorded, odd}) {
    auto appender = Open(path);
    REQUIRE(appender->Append(kFindings).ok());
    CHECK_FALSE(appender->Append(table).ok());
    CHECK_FALSE(appender->Commit().ok());
  }
  {
    auto appender = Open(path);
    CHECK_FALSE(appender->Append({&lost, 1}).ok());
    CHECK_FALSE(appender->Commit().ok());
  }
  CHECK_FALSE(Open(path)->Clear("meta").ok());
  CHECK(test::ReadBytes(path) == before);
  // A table of that name with other columns.
  {
    auto appender = Open(path);
    REQUIRE(appender->Append(Forecast(1)).ok());
    REQUIRE(appender->Commit().ok());
  }
  AddedTable changed = Forecast(1);
  changed.columns[0].name = "machine";
  CHECK_FALSE(Open(path)->Append(changed).ok());
}

TEST_CASE("what cannot be added to is refused with the way out") {
  TempFolder folder;
  const auto refused = [](const std::string& path, const char* reason) {
    const auto appender = ProfileAppender::Open(path);
    REQUIRE_FALSE(appender.ok());
    CHECK_THAT(appender.error().Text(), Catch::Contains(reason));
  };
  refused(folder / "nothing", "does not exist");
  test::WriteBytes(folder / "text", std::string(1000, 'x'));
  refused(folder / "text", "is not a gprof-x profile");
  {
    Result<ProfileWriter> writer = ProfileWriter::Create(folder / "running.gprofx");
    REQUIRE(writer.ok());
    refused(folder / "running.gprofx", "the recording is unfinished");
  }
  const std::string path = test::WriteFinished(folder, test::RandomProfile(61, 50), 0);
  {
    const auto first = Open(path);
    refused(path, "is locked by another program");
  }
  {
    auto appender = Open(path);
    const auto reader = ProfileReader::Open(path);
    REQUIRE(reader.ok());  // readers do not wait
    REQUIRE(appender->Append(kFindings).ok());
    const Status late = appender->Commit();
    REQUIRE_FALSE(late.ok());
    CHECK_THAT(late.error().Text(), Catch::Contains("is in use by another program"));
    CHECK(reader->Findings()->empty());
  }
  test::Forge(path, "CREATE TRIGGER t AFTER INSERT ON finding BEGIN DELETE FROM node; END");
  refused(path, "do not trust this file");
}

// The process that adds is killed again and again, at any moment: all of it or nothing.
TEST_CASE("a killed appender leaves all of a transaction or nothing") {
  TempFolder folder;
  const Profile profile = test::RandomProfile(61, 50);
  const std::string path = test::WriteFinished(folder, profile, 100);
  size_t added = 0;
  // More than 30 only where no transaction ended in time: the test would prove nothing.
  for (int round = 0; round < 30 || (added == 0 && round < 300); ++round) {
    const pid_t child = fork();
    if (child == 0) {
      while (true) {
        Result<ProfileAppender> appender = ProfileAppender::Open(path);
        if (!appender || !appender->Append(Forecast(400)) || !appender->Commit()) _exit(1);
      }
    }
    usleep(static_cast<useconds_t>(3000 + 700 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const auto forecast = ForecastOf(path);
    const size_t rows = forecast ? forecast->rows.size() : 0;
    REQUIRE(rows % 400 == 0);
    REQUIRE(rows >= added);
    added = rows;
    REQUIRE(LoadProfile(path)->nodes == profile.nodes);
  }
  CHECK(added > 0);
}

TEST_CASE("added rows that make no sense are refused when they are read") {
  const std::string refused[] = {
      "UPDATE finding SET node=51 WHERE id=1; UPDATE forecast SET device=5.5 WHERE id=1;"
      "UPDATE forecast SET ns='x' WHERE id=2",
      "UPDATE finding SET id=9 WHERE id=2; UPDATE forecast SET id=9 WHERE id=2",
      "UPDATE finding SET evidence=hex(zeroblob(35000000)) WHERE id=1;"
      "UPDATE forecast SET device=hex(zeroblob(35000000)) WHERE id=1",
      "ALTER TABLE finding ADD COLUMN x AS (hex(zeroblob(100000000)));"
      "ALTER TABLE forecast ADD COLUMN x AS (hex(zeroblob(100000000)))",
  };
  for (const std::string& sql : refused) {
    TempFolder folder;
    const std::string path = test::WriteFinished(folder, test::RandomProfile(61, 50), 0);
    {
      auto appender = Open(path);
      REQUIRE(appender->Append(kFindings).ok());
      REQUIRE(appender->Append(Forecast(5)).ok());
      REQUIRE(appender->Commit().ok());
    }
    test::Forge(path, sql);
    INFO(sql);
    const auto reader = ProfileReader::Open(path);
    CHECK_FALSE((reader && reader->Findings()));
    CHECK_FALSE((reader && reader->Added("forecast")));
  }
}

TEST_CASE("findings are added to files of older versions") {
  TempFolder folder;
  for (const char* name : {"finished-1.0", "finished-1.1"}) {
    INFO(name);
    const std::string path = folder / name;
    test::WriteBytes(
        path,
        test::ReadBytes(std::string(GPROFX_SOURCE_DIR "/tests/fuzz/corpus/profile_db/") + name));
    auto appender = Open(path);
    REQUIRE(appender->Append(kFindings).ok());
    REQUIRE(appender->Commit().ok());
    CHECK(FindingsOf(path) == kFindings);
    CHECK(LoadProfile(path)->nodes.size() == 40);
  }
}

}  // namespace
}  // namespace gprofx
