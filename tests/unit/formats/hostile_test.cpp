// Files that are no profile, no longer one, or made to hurt.
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <new>
#include <random>

#include "formats/database/chunk.h"
#include "formats/profile/profile_db.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::ReadCubins;
using test::ReadEvents;
using test::ReadSamples;
using test::ReadSources;
using test::TempFolder;

// The one line that a reader prints for `path`.
std::string Answer(const std::string& path) {
  const Result<Profile> loaded = LoadProfile(path);
  return loaded ? "" : loaded.error().Text();
}

void CheckRefused(const std::string& path, const std::string& reason) {
  const Result<Profile> loaded = LoadProfile(path);
  REQUIRE_FALSE(loaded.ok());
  CHECK_THAT(loaded.error().Text(), Catch::Contains(reason));
  CHECK_THAT(loaded.error().what, Catch::Contains(path));
  CHECK_FALSE(loaded.error().fix.empty());
  CHECK(loaded.error().Text().find('\n') == std::string::npos);
  CHECK_FALSE(ReadSamples(path, 0, 1, [](std::span<const SampleRow>) {}).ok());
}

TEST_CASE("files that are no profile are named for what they are") {
  TempFolder folder;
  CheckRefused(folder / "nothing", "does not exist");
  mkdir((folder / "directory").c_str(), 0700);
  CheckRefused(folder / "directory", "is a folder");
  test::WriteBytes(folder / "empty", {});
  CheckRefused(folder / "empty", "is empty");
  const std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  test::WriteBytes(folder / "picture.png", png + std::string(500, 'x'));
  CheckRefused(folder / "picture.png", "is not a gprof-x profile");
  test::WriteBytes(folder / "short", std::string("SQLite format 3"));
  CheckRefused(folder / "short", "is not a gprof-x profile");
  test::Forge(folder / "other.db", "CREATE TABLE meta(a); INSERT INTO meta VALUES(1)");
  CheckRefused(folder / "other.db", "an SQLite database, but not a gprof-x profile");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CheckRefused(folder / "pipe", "not a regular file");
  if (geteuid() != 0) {
    test::WriteBytes(folder / "secret", png);
    chmod((folder / "secret").c_str(), 0);
    CheckRefused(folder / "secret", "Permission denied");
  }
}

TEST_CASE("newer_major_refused, newer minor read") {
  TempFolder folder;
  const Profile profile = test::RandomProfile(1, 50);
  const std::string path = test::WriteFinished(folder, profile, 100);
  test::Forge(path,
              "PRAGMA user_version=1007; CREATE TABLE later(a); ALTER TABLE node ADD COLUMN x");
  const Result<Profile> minor = LoadProfile(path);
  REQUIRE(minor.ok());
  CHECK(minor->nodes == profile.nodes);
  CHECK(minor->quality.at("unknown_tables") == 1);
  test::Forge(path, "PRAGMA user_version=3002; INSERT INTO meta VALUES('tool_version','3.2.1')");
  CheckRefused(path, "written by gprof-x 3.2.1 (schema 3.2); this version reads up to schema 1");
  for (const char* hostile : {"char(27)||'[2J'", "'1'||char(10)||'gprof-x: fine'", "'\u202e1'"}) {
    test::Forge(path,
                std::string("UPDATE meta SET value=") + hostile + " WHERE name='tool_version'");
    CheckRefused(path, "written by a newer gprof-x (schema 3.2)");
  }
  test::Forge(path, "DELETE FROM meta WHERE name='tool_version'");
  CheckRefused(path, "written by a newer gprof-x (schema 3.2)");
  test::Forge(path, "PRAGMA user_version=0");
  CheckRefused(path, "no valid schema version");
}

TEST_CASE("what lies before a damaged chunk is given once, what lies behind it never") {
  TempFolder folder;
  const Profile profile = test::RandomProfile(1, 50);
  constexpr size_t kChunks = 4, kRows = 65'536;
  const std::string path = test::WriteFinished(folder, profile, kChunks * kRows);
  const std::string sound = test::ReadBytes(path);
  for (size_t damaged = 0; damaged < kChunks; ++damaged) {
    test::WriteBytes(path, sound);
    test::Forge(path,
                "UPDATE chunk SET data=x'00' WHERE id=(SELECT id FROM chunk WHERE stream=1 "
                "ORDER BY t_begin LIMIT 1 OFFSET " +
                    std::to_string(damaged) + ")");
    size_t given = 0;
    HostNs latest = kEarliest;
    const Result<int64_t> read =
        test::ReadSamples(path, kEarliest, kLatest, [&](std::span<const SampleRow> rows) {
          given += rows.size();
          HostNs first = kLatest, last = kEarliest;
          for (const SampleRow& row : rows)
            first = std::min(first, row.time), last = std::max(last, row.time);
          CHECK(first > latest);
          latest = last;
        });
    CHECK_FALSE(read.ok());
    CHECK(given == damaged * kRows);
  }
}

TEST_CASE("who cannot use a chunk ends the reading") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 200'000);
  for (const int at : {1, 2, 3}) {
    int calls = 0;
    const auto use = [&](std::span<const SampleRow>) {
      if (++calls == at) throw std::bad_alloc();
    };
    CHECK_THROWS_AS(test::ReadSamples(path, kEarliest, kLatest, use), std::bad_alloc);
    CHECK(calls == at);
  }
}

TEST_CASE("unknown_table_skipped_and_counted") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 0);
  CHECK(LoadProfile(path)->quality.count("unknown_tables") == 0);
  test::Forge(path,
              "CREATE TABLE x(a); CREATE TABLE y(a); INSERT INTO x VALUES(zeroblob(1000000))");
  CHECK(LoadProfile(path)->quality.at("unknown_tables") == 2);
}

TEST_CASE("what a later version has is skipped and counted, the rest is read") {
  TempFolder folder;
  const Profile profile = test::RandomProfile(1, 50);
  const std::string path = test::WriteFinished(folder, profile, 100, 100);
  for (const char* name : {"unknown_streams", "unknown_frame_kinds", "unknown_metrics"}) {
    CHECK(LoadProfile(path)->quality.count(name) == 0);
  }
  test::Forge(path,
              "UPDATE frame SET kind=99 WHERE id IN (3,4);"
              "UPDATE metric SET kind=2 WHERE id=1;"
              "INSERT INTO stream VALUES(77,'later',1,'1 x');"
              "INSERT INTO chunk(stream,t_begin,t_end,rows,codec,data) VALUES(77,0,0,1,9,x'00')");
  for (const char* values : {"in chunks", "in rows"}) {
    INFO(values);
    const Result<Profile> loaded = LoadProfile(path);
    REQUIRE(loaded.ok());
    CHECK(loaded->quality.at("unknown_frame_kinds") == 2);
    CHECK(loaded->quality.at("unknown_metrics") == 1);
    CHECK(loaded->quality.at("unknown_streams") == 1);
    CHECK(loaded->nodes == profile.nodes);
    CHECK(static_cast<int>(loaded->frames[2].kind) == 99);
    CHECK(loaded->frames[2].function == profile.frames[2].function);
    // The values of the other metric are all there, under its new number.
    REQUIRE(loaded->metrics.size() == profile.metrics.size() - 1);
    CHECK(loaded->metrics[0].name == profile.metrics[1].name);
    int64_t sum = 0, expected = 0;
    for (const Value& value : loaded->values) {
      REQUIRE(value.metric.value == 1);
      sum += value.self;
    }
    for (const Value& value : profile.values) expected += value.metric.value == 2 ? value.self : 0;
    CHECK(sum == expected);
    CHECK(test::AllSamples(path).size() == 100);
    test::Forge(path, "UPDATE stream SET rows=0 WHERE id=2");
  }
}

// A full chunk of equal rows in a few hundred bytes, again and again.
std::string WriteBomb(const TempFolder& folder, int chunks) {
  const Profile profile = test::RandomProfile(1, 50);
  const std::string path = folder / "bomb.gprofx";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  writer->AppendSamples(
      std::vector<SampleRow>(kMaxChunkRows, SampleRow{5, ThreadId{1}, NodeId{2}, 7, 0}));
  REQUIRE(writer->Finish(profile, {}).ok());
  test::Forge(path, "WITH RECURSIVE c(i) AS (SELECT 2 UNION ALL SELECT i+1 FROM c WHERE i<" +
                        std::to_string(chunks) +
                        ") INSERT INTO chunk(stream,t_begin,t_end,rows,codec,data)"
                        " SELECT stream,t_begin,t_end,rows,codec,data FROM chunk,c WHERE stream=1");
  return path;
}

TEST_CASE("what a file may cost is counted and grows with its size") {
  const auto nothing = [](std::span<const SampleRow>) {};
  TempFolder folder;
  const int64_t rows = kMaxChunkRows;
  CHECK(*ReadSamples(WriteBomb(folder, 100), 0, INT64_MAX, nothing) == 100 * rows);
  const std::string bomb = WriteBomb(folder, 600);
  const Result<int64_t> bombed = ReadSamples(bomb, 0, INT64_MAX, nothing);
  REQUIRE_FALSE(bombed.ok());
  CHECK_THAT(bombed.error().Text(), Catch::Contains("takes too much work"));
  // The same rows in a file of honest size, and work of before does not count.
  test::Forge(bomb, "CREATE TABLE ballast(a); INSERT INTO ballast VALUES(zeroblob(3000000))");
  const Result<ProfileReader> reader = ProfileReader::Open(bomb);
  REQUIRE(reader.ok());
  for (int i = 0; i < 2; ++i) {
    const Result<int64_t> read = reader->Samples(0, INT64_MAX, nothing);
    INFO((read ? "" : read.error().Text()));
    CHECK((read && *read == 600 * rows));
  }
  CHECK(sqlite3_hard_heap_limit64(-1) == 0);  // other users of SQLite keep their memory
}

TEST_CASE("columns that hide behind large ones are refused") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
  test::Forge(path,
              "ALTER TABLE node RENAME TO old;"
              "CREATE TABLE node(id INTEGER PRIMARY KEY, x BLOB, parent INTEGER, frame INTEGER);"
              "INSERT INTO node SELECT id, zeroblob(10), parent, frame FROM old; DROP TABLE old");
  CheckRefused(path, "damaged (table node)");
}

TEST_CASE("hostile_schema_refused") {
  const std::string refused[] = {
      "DROP TABLE node; CREATE VIEW node AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 "
      "FROM c)"
      " SELECT i AS id, i-1 AS parent, 1 AS frame FROM c",
      "CREATE VIEW more AS SELECT 1",
      "CREATE TRIGGER t AFTER INSERT ON node BEGIN DELETE FROM meta; END",
      "CREATE VIRTUAL TABLE search USING fts5(a)",
      "ALTER TABLE node ADD COLUMN bomb AS (hex(zeroblob(100000000)))",
      "DROP TABLE string; CREATE TABLE string(id INTEGER PRIMARY KEY,"
      " text AS (hex(zeroblob(100000000))), t)",
      "DROP TABLE node",
      "DROP TABLE frame; CREATE TABLE frame(id INTEGER PRIMARY KEY)",
      "DROP TABLE chunk",
  };
  for (const std::string& sql : refused) {
    TempFolder folder;
    const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
    test::Forge(path, sql);
    INFO(sql);
    CHECK(Answer(path) != "");
  }
}

TEST_CASE("rows that make no sense are refused") {
  const std::string refused[] = {
      "UPDATE node SET parent=7 WHERE id=5",
      "UPDATE node SET parent=5 WHERE id=5",
      "UPDATE node SET parent=0 WHERE id=5",
      "UPDATE node SET parent=-1 WHERE id=5",
      "UPDATE node SET parent=1 WHERE id=1",
      "UPDATE node SET frame=0 WHERE id=5",
      "UPDATE node SET frame=100000 WHERE id=5",
      "UPDATE node SET frame=4294967297 WHERE id=5",
      "UPDATE node SET id=100000 WHERE id=50",
      "UPDATE node SET id=-5 WHERE id=50",
      "DELETE FROM node WHERE id=20",
      "UPDATE frame SET kind=256 WHERE id=3",
      "UPDATE frame SET kind=-1 WHERE id=3",
      "UPDATE frame SET module=9 WHERE id=3",
      "UPDATE frame SET function=-1 WHERE id=3",
      "UPDATE frame SET line=-1 WHERE id=3",
      "UPDATE frame SET kind=1 WHERE id=1",
      "UPDATE function SET name=100000 WHERE id=1",
      "UPDATE string SET text='worker 0' WHERE text='worker 1'",
      "UPDATE thread SET process=2 WHERE id=1",
      "UPDATE load_range SET module=0 WHERE id=1",
      "UPDATE metric SET kind=256 WHERE id=1",
      "UPDATE metric SET kind=-1 WHERE id=1",
      "UPDATE metric SET kind=2 WHERE id=1; UPDATE stream SET rows=0 WHERE id=2;"
      " UPDATE value SET metric=3 WHERE id=1",
      "UPDATE metric SET name='cpu'",
      "UPDATE stream SET rows=-1 WHERE id=1",
      "UPDATE stream SET rows=rows+1 WHERE id=2",
      "UPDATE stream SET rows=1 WHERE id=2",
      "UPDATE stream SET rows=1000000000000 WHERE id=2",
      "UPDATE chunk SET data=zeroblob(1000000) WHERE stream=2",
      "UPDATE chunk SET codec=9 WHERE stream=2",
      "UPDATE stream SET rows=0 WHERE id=2; UPDATE value SET thread=0 WHERE id=1",
      "UPDATE stream SET rows=0 WHERE id=2; UPDATE value SET node=51 WHERE id=1",
      "UPDATE stream SET rows=0 WHERE id=2; UPDATE value SET metric=3 WHERE id=1",
  };
  for (const std::string& sql : refused) {
    TempFolder folder;
    const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
    REQUIRE(LoadProfile(path).ok());
    test::Forge(path, sql);
    INFO(sql);
    CHECK_THAT(Answer(path), Catch::Contains("damaged") || Catch::Contains("too much memory"));
  }
}

TEST_CASE("a timeline that makes no sense is refused by ReadSamples") {
  const std::string refused[] = {"UPDATE chunk SET data=zeroblob(100)", "UPDATE chunk SET codec=2",
                                 "DELETE FROM thread WHERE id>1", "DELETE FROM node WHERE id>2",
                                 "UPDATE chunk SET data=substr(data,1,length(data)-1)"};
  for (const std::string& sql : refused) {
    TempFolder folder;
    const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 1000);
    test::Forge(path, sql);
    INFO(sql);
    const Result<int64_t> rows = ReadSamples(path, 0, INT64_MAX, [](std::span<const SampleRow>) {});
    CHECK_FALSE(rows.ok());
  }
}

TEST_CASE("write-ahead logging is refused with the way back") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
  test::Forge(path, "PRAGMA journal_mode=WAL");
  CheckRefused(path, "PRAGMA journal_mode=DELETE");
}

TEST_CASE("a text beyond any name is refused in time") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 50), 10);
  test::Forge(path, "UPDATE string SET text=hex(zeroblob(35000000)) WHERE id=1");
  const auto start = std::chrono::steady_clock::now();
  CHECK_THAT(Answer(path), Catch::Contains("too much memory"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("truncation at every 1,000th byte gets an answer") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(2, 2000), 20000);
  const std::string good = test::ReadBytes(path);
  REQUIRE(good.size() > 100000);
  const std::string cut = folder / "cut.gprofx";
  for (size_t size = 0; size < good.size(); size += 1000) {
    test::WriteBytes(cut, std::span(good).first(size));
    const std::string answer = Answer(cut);
    INFO(size);
    REQUIRE_THAT(answer, Catch::Contains("truncated") || Catch::Contains("empty") ||
                             Catch::Contains("not a gprof-x profile"));
  }
}

// Every answer is fine but a signal, a hang and a lie about the number of rows.
void FlipBytes(int rounds, unsigned seed) {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(3, 500), 3000, 100);
  const std::string good = test::ReadBytes(path);
  const std::string bad_path = folder / "bad.gprofx";
  std::mt19937 random(seed);
  int loaded = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bad = good;
    const int flips = 1 << random() % 6;
    for (int i = 0; i < flips; ++i) {
      // Half of the flips go where structure is: the first pages hold the header and the schema.
      const size_t range = random() % 2 ? bad.size() : std::min<size_t>(bad.size(), 12288);
      bad[random() % range] ^= static_cast<char>(1 + random() % 255);
    }
    test::WriteBytes(bad_path, bad);
    const auto start = std::chrono::steady_clock::now();
    const Result<Profile> profile = LoadProfile(bad_path);
    const Result<int64_t> rows =
        ReadSamples(bad_path, 0, INT64_MAX, [](std::span<const SampleRow>) {});
    const Result<int64_t> events = ReadEvents(bad_path, Stream::kKernels, std::vector<size_t>{1, 4},
                                              0, INT64_MAX, [](const EventTable&) {});
    if (events.ok()) REQUIRE(*events <= 100);
    if (const auto cubins = ReadCubins(bad_path)) REQUIRE(cubins->size() <= 2);
    if (const auto sources = ReadSources(bad_path)) REQUIRE(sources->size() <= 2);
    REQUIRE(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    if (rows.ok()) REQUIRE(*rows <= 3000);
    loaded += profile.ok();
  }
  CHECK(loaded > 0);  // the test would prove nothing if every file were refused at its door
  CHECK(loaded < rounds);
}

TEST_CASE("2,000 files with random bytes flipped get an answer") { FlipBytes(2000, 1); }
TEST_CASE("10,000 files with random bytes flipped get an answer", "[.long]") {
  FlipBytes(10000, 2);
}

}  // namespace
}  // namespace gprofx
