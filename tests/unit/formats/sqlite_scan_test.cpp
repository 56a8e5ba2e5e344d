// Reading a table from its pages against SQLite itself, on tables of every shape; and what is
// refused.
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <random>

#include "formats/sqlite/sqlite_scan.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::TempFolder;

constexpr FileKind kTrace = {"trace export",    "trace",        0,
                             "export it again", "name one",     "export again",
                             "copy it again",   "copy it again"};
constexpr const char* kColumns[] = {"a", "absent", "c", "b"};

using Rows = std::vector<std::array<int64_t, 5>>;  // a, c, b, which are NULL, whether absent is

HardenedSqlite Open(const std::string& path) {
  Result<HardenedSqlite> file = HardenedSqlite::Open(path, kTrace);
  REQUIRE(file.ok());
  REQUIRE(file->CheckSchema().ok());
  return std::move(*file);
}

bool Scan(const HardenedSqlite& file, int64_t first, int64_t end, Rows& rows) {
  TableScan scan(file, "t", kColumns);
  rows.clear();
  return scan.Read(first, end, [&](const IntegerRow& row) {
    rows.push_back({row.Int(0), row.Int(2), row.Int(3),
                    row.IsNull(0) | row.IsNull(2) << 1 | row.IsNull(3) << 2, row.IsNull(1)});
  });
}

Rows BySql(const HardenedSqlite& file, int64_t first, int64_t end) {
  sqlite::Statement rows = file.Query("SELECT a, c, b FROM t WHERE rowid>=?1 AND rowid<?2");
  rows.Bind(0, first);
  rows.Bind(1, end);
  Rows found;
  while (rows.Next()) {
    int64_t nulls = 0;
    for (int i = 0; i < 3; ++i) nulls |= int64_t{rows.Type(i) == SQLITE_NULL} << i;
    found.push_back({rows.Int(0), rows.Int(1), rows.Int(2), nulls, 1});
  }
  REQUIRE(rows.code() == SQLITE_DONE);
  return found;
}

void CheckRanges(const std::string& path, std::mt19937_64& dice) {
  const HardenedSqlite file = Open(path);
  Rows rows;
  REQUIRE(Scan(file, INT64_MIN, INT64_MAX, rows));
  CHECK(rows == BySql(file, INT64_MIN, INT64_MAX));
  const auto rowid = [&] { return static_cast<int64_t>(dice() % 60'000) - 10'000; };
  for (int i = 0; i < 50; ++i) {
    const auto [first, end] = std::minmax({rowid(), rowid(), rowid()});
    INFO(first << " to " << end);
    REQUIRE(Scan(file, first, end, rows) == (first < end));
    CHECK(rows == BySql(file, first, end));
  }
}

TEST_CASE("a table of integers is read from its pages as SQLite reads it") {
  std::mt19937_64 dice(7);
  for (const int page_size : {512, 4096, 65536}) {
    for (const int count : {0, 1, 20, 3'000, 40'000}) {
      INFO("pages of " << page_size << ", " << count << " rows");
      TempFolder folder;
      const std::string path = folder / "t.sqlite";
      test::Forge(path, "PRAGMA page_size=" + std::to_string(page_size) +
                            "; CREATE TABLE t(x TEXT, a INT, b INT NOT NULL, c, y BLOB)");
      std::string sql = "BEGIN;";
      for (int i = 0; i < count; ++i) {
        // Of every width, both signs; between them NULLs, texts that are skipped, gaps and rows
        // taken out.
        const auto any = [&] {
          return std::to_string(static_cast<int64_t>(dice()) >> dice() % 64);
        };
        sql += "INSERT INTO t(rowid,x,a,b,c,y) VALUES(" + std::to_string(i + i / 10 - 5000) + ",'" +
               std::string(dice() % 80, 'x') + "'," + any() + "," + any() + "," +
               (dice() % 4 == 0 ? "NULL" : any()) + ",x'0001');";
      }
      test::Forge(path, sql + "DELETE FROM t WHERE a%3=0; COMMIT");
      CheckRanges(path, dice);
    }
  }
}

TEST_CASE("what is not a plain table of integers is left to SQLite") {
  struct {
    const char* table;
    const char* row;
  } const refused[] = {
      {"t(a,b,c)", "INSERT INTO t VALUES(1.5,2,3)"},
      {"t(a,b,c)", "INSERT INTO t VALUES('1',2,3)"},
      {"t(a,b,c)", "INSERT INTO t VALUES(x'01',2,3)"},
      {"t(a INTEGER PRIMARY KEY,b,c)", "INSERT INTO t VALUES(1,2,3)"},
      {"t(a,b,c,PRIMARY KEY(a,b)) WITHOUT ROWID", "INSERT INTO t VALUES(1,2,3)"},
      {"t(x,a,b,c)", "INSERT INTO t VALUES(zeroblob(9000),1,2,3)"},
      {"t(a,b)", "INSERT INTO t VALUES(1,2); ALTER TABLE t ADD COLUMN c DEFAULT 7"},
  };
  for (const auto& each : refused) {
    INFO(each.table << ": " << each.row);
    TempFolder folder;
    test::Forge(folder / "t.sqlite", std::string("CREATE TABLE ") + each.table + ";" + each.row);
    Rows rows;
    CHECK_FALSE(Scan(Open(folder / "t.sqlite"), 0, 100, rows));
    CHECK(rows.empty());
  }
  TempFolder folder;
  test::Forge(folder / "t.sqlite", "CREATE TABLE u(a,b,c)");
  Rows rows;
  CHECK_FALSE(Scan(Open(folder / "t.sqlite"), 0, 100, rows));
}

// Whatever is in the pages, a read ends, and each page is read once: many more rows than there are
// in the file cannot come of it.
TEST_CASE("a damaged tree is refused or read as far as its rows rise") {
  TempFolder folder;
  const std::string path = folder / "t.sqlite";
  std::string sql = "PRAGMA page_size=512; CREATE TABLE t(a,b,c); BEGIN;";
  for (int i = 0; i < 6'000; ++i) sql += "INSERT INTO t VALUES(" + std::to_string(i) + ",1,70000);";
  test::Forge(path, sql + "COMMIT");
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  std::mt19937_64 dice(3);
  int refused = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string bytes = whole;
    const size_t pages = bytes.size() / 512;
    for (uint64_t i = 0, changes = 1 + dice() % 4; i < changes; ++i) {
      const size_t page = 1 + dice() % (pages - 1), other = 1 + dice() % (pages - 1);
      if (dice() % 3 == 0) {
        bytes.replace(page * 512, 512, whole, other * 512, 512);  // a page in two places
      } else {
        bytes[page * 512 + dice() % (dice() % 2 == 0 ? 512 : 16)] = static_cast<char>(dice());
      }
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    const HardenedSqlite file = Open(path);
    Rows rows;
    if (!Scan(file, INT64_MIN, INT64_MAX, rows)) ++refused;
    REQUIRE(rows.size() <= 512 / 6 * pages);
  }
  CHECK(refused > 300);
}

}  // namespace
}  // namespace gprofx
