// The hardened opening by itself, on files that are no profiles: what importers stand on.
#include <unistd.h>

#include <catch2/catch.hpp>

#include "formats/sqlite/hardened_sqlite.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::TempFolder;

constexpr FileKind kTrace = {"trace export",    "trace",        0,
                             "export it again", "name one",     "export again",
                             "copy it again",   "copy it again"};

std::string Write(const TempFolder& folder, const std::string& sql) {
  const std::string path = folder / "trace.sqlite";
  test::Forge(path,
              "CREATE TABLE event(id INTEGER PRIMARY KEY, start INT, name TEXT);"
              "INSERT INTO event VALUES(1,10,'a'),(2,20,'b')");
  test::Forge(path, sql);
  return path;
}

TEST_CASE("any SQLite file is read, and nothing in it is changed or run") {
  TempFolder folder;
  const std::string path = Write(folder, "SELECT 1");
  Result<HardenedSqlite> file = HardenedSqlite::Open(path, kTrace);
  REQUIRE(file.ok());
  REQUIRE(file->CheckSchema().ok());
  CHECK(file->tables() == std::set<std::string, std::less<>>{"event"});
  CHECK(file->LastId("event") == 2);
  CHECK(file->QuickCheck("event").ok());
  const auto columns = file->Columns("event");
  REQUIRE(columns.ok());
  REQUIRE(columns->size() == 3);
  CHECK((*columns)[2].name == "name");
  CHECK((*columns)[2].type == "TEXT");
  sqlite::Statement rows = file->Query("SELECT start, name FROM event ORDER BY start DESC");
  REQUIRE(rows.Next());
  CHECK(rows.Int(0) == 20);
  CHECK(rows.Text(1) == "b");
  CHECK(rows.RowBytes() == 1);
  for (const char* refused :
       {"DELETE FROM event", "CREATE TABLE x(a)", "ATTACH '/tmp/x' AS x",
        "SELECT hex(name) FROM event", "PRAGMA journal_mode=WAL", "CREATE TEMP TABLE x(a)",
        "SELECT load_extension('x')",
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c) SELECT i FROM c"}) {
    INFO(refused);
    CHECK_FALSE(file->Query(refused));
  }
}

TEST_CASE("what such a file may not hold is named in its own words") {
  TempFolder folder;
  const std::string path = Write(folder, "CREATE VIEW v AS SELECT 1");
  Result<HardenedSqlite> file = HardenedSqlite::Open(path, kTrace);
  REQUIRE(file.ok());
  const Status schema = file->CheckSchema();
  REQUIRE_FALSE(schema.ok());
  CHECK_THAT(schema.error().Text(), Catch::Contains("do not trust this file: no trace has these"));
  test::WriteBytes(folder / "text", std::string(1000, 'x'));
  const auto text = HardenedSqlite::Open(folder / "text", kTrace);
  REQUIRE_FALSE(text.ok());
  CHECK_THAT(text.error().Text(), Catch::Contains("is not a trace export; export it again"));
}

// As a table would be whose pages stand in a circle.
TEST_CASE("a statement that goes on and on is interrupted, whatever it gives") {
  TempFolder folder;
  const std::string path =
      Write(folder,
            "WITH RECURSIVE c(i) AS (SELECT 3 UNION ALL SELECT i+1 FROM c WHERE i<2000)"
            " INSERT INTO event SELECT i, i, 'x' FROM c");
  Result<HardenedSqlite> file = HardenedSqlite::Open(path, kTrace);
  REQUIRE(file.ok());
  REQUIRE(file->CheckSchema().ok());
  const auto run = [&] {
    sqlite::Statement endless = file->Query(
        "SELECT a.id FROM event a, event b, event c WHERE a.start + b.start + c.start < 0");
    while (endless.Next()) {
    }
    return endless.code();
  };
  REQUIRE((run() & 0xff) == SQLITE_INTERRUPT);
  sqlite::Statement next = file->Query("SELECT id FROM event");
  CHECK(next.Next());  // short ones are not looked at
  file->StartWork();
  CHECK(file->Spend(100'000'000));
  CHECK_FALSE(file->Spend(64 * file->size() + 1));
  CHECK_THAT(file->Damage(SQLITE_INTERRUPT, "event").Text(), Catch::Contains("too much work"));
}

}  // namespace
}  // namespace gprofx
