// A journal changes what is read of its own database, and nothing else in the world.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <random>

#include "formats/profile/profile_db.h"
#include "formats/redaction/source_mode.h"
#include "formats/sqlite/hardened_sqlite.h"
#include "formats/sqlite/journal_file.h"
#include "formats/sqlite/output_file.h"
#include "formats/sqlite/rollback_journal.h"
#include "formats/sqlite/sqlite.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using sqlite::Opening;
using test::TempFolder;

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

void CopyFile(const std::string& from, const std::string& to) {
  test::WriteBytes(to, test::ReadBytes(from));
}

// The answer of a statement as text; of an error its name.
std::string Ask(sqlite3* db, const std::string& sql) {
  sqlite::Statement statement(db, sql);
  std::string text;
  while (statement.Next()) text += std::string(statement.Text(0)) + "\n";
  return statement.code() == SQLITE_DONE ? text : sqlite3_errstr(statement.code());
}

// A database in the midst of a commit, as a kill leaves it: `path` and its journal. The setup makes
// tables and rows, the change is what was not committed; with `synced` the journal has several
// segments.
void MakeUnfinished(const std::string& path, const std::string& setup, const std::string& change,
                    bool synced) {
  const std::string live = path + ".live";
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(live.c_str(), &db) == SQLITE_OK);
  const auto run = [&](const std::string& sql) {
    INFO(sql);
    REQUIRE(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  };
  run(setup);
  run(synced ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=OFF");
  run("PRAGMA cache_size=10; BEGIN");
  run(change);
  REQUIRE(sqlite3_db_cacheflush(db) == SQLITE_OK);
  CopyFile(live, path);
  CopyFile(live + "-journal", path + "-journal");
  run("ROLLBACK");
  sqlite3_close(db);
  unlink(live.c_str());
}

// What SQLite's playback makes of copies of both files.
std::string PlayedBack(const TempFolder& folder, const std::string& path) {
  const std::string copy = folder / "played";
  CopyFile(path, copy);
  CopyFile(path + "-journal", copy + "-journal");
  test::Forge(copy, "SELECT count(*) FROM sqlite_schema");
  CHECK_FALSE(Exists(copy + "-journal"));
  const std::string bytes = test::ReadBytes(copy);
  unlink(copy.c_str());
  return bytes;
}

// Every byte of the database as a connection sees it that holds a read transaction.
std::string SeenBy(sqlite::Database& db) {
  REQUIRE(db.Execute("BEGIN; SELECT count(*) FROM sqlite_schema"));
  sqlite3_file* file = nullptr;
  sqlite3_file_control(db.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  sqlite3_int64 size = 0;
  REQUIRE(file->pMethods->xFileSize(file, &size) == SQLITE_OK);
  std::string bytes(static_cast<size_t>(size), '\0');
  std::mt19937 random(1);
  for (size_t at = 0; at < bytes.size();) {  // in pieces that do not heed pages
    const size_t piece = std::min<size_t>(1 + random() % 9000, bytes.size() - at);
    REQUIRE(file->pMethods->xRead(file, bytes.data() + at, static_cast<int>(piece),
                                  static_cast<sqlite3_int64>(at)) == SQLITE_OK);
    at += piece;
  }
  return bytes;
}

constexpr char kRows[] =
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<600)"
    " INSERT INTO t SELECT i, hex(randomblob(100)) FROM c";

const std::string kSetup = std::string("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);") + kRows;

// As a commit into several databases ends its journal.
void AddSuperJournal(const std::string& journal, const std::string& name) {
  const auto big_endian = [](uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
  };
  uint32_t sum = 0;
  for (const char c : name) sum += static_cast<uint32_t>(static_cast<int>(c));
  std::string bytes = test::ReadBytes(journal);
  bytes.resize((bytes.size() + 511) / 512 * 512);
  bytes += big_endian(0x40000000 / 4096 + 1) + name +
           big_endian(static_cast<uint32_t>(name.size())) + big_endian(sum) +
           "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  test::WriteBytes(journal, bytes);
}

TEST_CASE("what is read over a journal is, byte for byte, what SQLite's playback leaves") {
  const std::string changes[] = {
      "UPDATE t SET v = 'changed' || id", "DELETE FROM t WHERE id % 3 = 0",
      "CREATE TABLE u(a); INSERT INTO u SELECT v FROM t; INSERT INTO u SELECT v FROM t",
      "DROP TABLE t", "UPDATE t SET v = v || hex(randomblob(3000)) WHERE id < 100"};
  for (const char* page : {"512", "4096", "65536"}) {
    for (const bool synced : {false, true}) {
      for (const std::string& change : changes) {
        INFO(page << (synced ? " synced " : " ") << change);
        TempFolder folder;
        const std::string path = folder / "db";
        MakeUnfinished(path, std::string("PRAGMA page_size=") + page + ";" + kSetup, change,
                       synced);
        const std::string torn = test::ReadBytes(path), wanted = PlayedBack(folder, path),
                          journal = test::ReadBytes(path + "-journal");
        REQUIRE(torn != wanted);
        sqlite::Database db = sqlite::Database::Open(path, Opening::kRead);
        CHECK(SeenBy(db) == wanted);
        CHECK(Ask(db.get(), "PRAGMA integrity_check") == "ok\n");
        CHECK_FALSE(db.Execute("COMMIT; DELETE FROM t"));
        db.Close();
        CHECK(test::ReadBytes(path) == torn);
        CHECK(test::ReadBytes(path + "-journal") == journal);
      }
    }
  }
}

TEST_CASE("broken journals give what SQLite's playback gives, or an error") {
  TempFolder folder;
  const std::string path = folder / "db";
  MakeUnfinished(path, kSetup, "UPDATE t SET v = 'changed' || id", true);
  const std::string whole = test::ReadBytes(path + "-journal");
  std::mt19937 random(1);
  int same = 0;
  for (int i = 0; i < 300; ++i) {
    std::string journal = whole;
    if (i % 3 == 0) journal.resize(random() % journal.size());
    for (size_t k = 0; k < 1U << i % 5; ++k) {
      const size_t most = i % 2 == 0 ? std::min<size_t>(28, journal.size()) : journal.size();
      if (most > 8) journal[8 + random() % (most - 8)] = static_cast<char>(random());
    }
    test::WriteBytes(path + "-journal", journal);
    const std::string copy = folder / "played";
    CopyFile(path, copy);
    CopyFile(path + "-journal", copy + "-journal");
    sqlite3* played = nullptr;
    REQUIRE(sqlite3_open(copy.c_str(), &played) == SQLITE_OK);
    const std::string sql = "SELECT count(*) || max(v) || min(v) FROM t";
    const std::string wanted = Ask(played, sql);
    sqlite3_close(played);
    unlink((copy + "-journal").c_str());
    sqlite::Database db = sqlite::Database::Open(path, Opening::kRead);
    const std::string got = Ask(db.get(), sql);
    same += got == wanted;
    // A page count beyond the file makes SQLite's playback grow the file.
    if (got != wanted) CHECK_THAT(wanted + got, Catch::Contains("malformed"));
  }
  CHECK(same > 250);
}

TEST_CASE("a journal that names a super-journal is refused, whoever owns it") {
  TempFolder folder;
  const std::string path = folder / "db", victim = folder / "victim";
  MakeUnfinished(path, kSetup, "UPDATE t SET v = 'changed' || id", false);
  test::WriteBytes(victim, std::string("precious"));
  AddSuperJournal(path + "-journal", victim);
  const std::string journal = test::ReadBytes(path + "-journal");
  constexpr FileKind kAny = {"any", "any", 0, "", "", "", "", ""};
  for (const Access access : {Access::kRead, Access::kAppend}) {
    const auto file = HardenedSqlite::Open(path, kAny, access);
    REQUIRE_FALSE(file.ok());
    CHECK_THAT(file.error().Text(), Catch::Contains("names other files; do not trust this file"));
  }
  CHECK(test::ReadBytes(victim) == "precious");
  CHECK(test::ReadBytes(path + "-journal") == journal);
  // What it would do without the barrier: the attack itself works.
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  sqlite3_exec(db, "SELECT count(*) FROM t", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  CHECK_FALSE(Exists(victim));
}

TEST_CASE("journals of other users are not read, and what is no journal is none") {
  TempFolder folder;
  const std::string path = folder / "db", journal = path + "-journal";
  MakeUnfinished(path, kSetup, "UPDATE t SET v = 'changed' || id", false);
  constexpr FileKind kAny = {"any", "any", 0, "", "", "", "", ""};
  if (geteuid() == 0) {
    REQUIRE(chown(journal.c_str(), 12345, 12345) == 0);
    const auto file = HardenedSqlite::Open(path, kAny);
    REQUIRE_FALSE(file.ok());
    CHECK_THAT(file.error().Text(), Catch::Contains("another user"));
    REQUIRE(chown(path.c_str(), 12345, 12345) == 0);  // both came from one user
    CHECK(HardenedSqlite::Open(path, kAny).ok());
  }
  unlink(journal.c_str());
  REQUIRE(symlink("/etc/passwd", journal.c_str()) == 0);
  CHECK_THAT(HardenedSqlite::Open(path, kAny).error().Text(), Catch::Contains("cannot be read"));
  unlink(journal.c_str());
  REQUIRE(mkfifo(journal.c_str(), 0600) == 0);
  test::WriteFinished(folder, test::RandomProfile(1, 20), 10);
  REQUIRE(rename(journal.c_str(), (folder / "profile.gprofx-journal").c_str()) == 0);
  CHECK(LoadProfile(folder / "profile.gprofx").ok());
}

TEST_CASE("a pipe or device that took a file's name is not even opened") {
  TempFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  // Waits until somebody opens the other end, as a device would notice it.
  const pid_t child = fork();
  if (child == 0) _exit(open(path.c_str(), O_WRONLY) < 0 ? 1 : 0);
  usleep(50'000);
  for (const Opening opening : {Opening::kRead, Opening::kAppend, Opening::kWrite}) {
    CHECK(sqlite::Database::Open(path, opening).code() != SQLITE_OK);
  }
  CHECK_FALSE(JournalFile(path));
  CHECK(errno == EINVAL);
  CHECK_FALSE(IsProfile(path));
  CHECK_FALSE(OpenMadeFile(path));
  CHECK(errno == ESTALE);
  MakeUnfinished(folder / "db", kSetup, "UPDATE t SET v = 'changed' || id", false);
  REQUIRE(rename(path.c_str(), (folder / "db-journal").c_str()) == 0);
  CHECK(Ask(sqlite::Database::Open(folder / "db", Opening::kRead).get(), "SELECT 1") == "1\n");
  usleep(20'000);
  int status = 0;
  CHECK(waitpid(child, &status, WNOHANG) == 0);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
}

TEST_CASE("a writer never touches a journal that it did not make") {
  TempFolder folder;
  const std::string path = folder / "new", journal = path + "-journal";
  REQUIRE(CreatePrivateFile(path).ok());
  sqlite::Database db = sqlite::Database::Open(path, Opening::kWrite);
  REQUIRE(db.Execute("CREATE TABLE t(a)"));
  CHECK_FALSE(Exists(journal));
  MakeUnfinished(folder / "bad", kSetup, "UPDATE t SET v = 'changed' || id", false);
  REQUIRE(rename((folder / "bad-journal").c_str(), journal.c_str()) == 0);
  const std::string planted = test::ReadBytes(journal);
  CHECK_FALSE(db.Execute("INSERT INTO t VALUES(1)"));
  REQUIRE(db.refusal());
  CHECK_THAT(db.refusal()->Text(), Catch::Contains("-journal' exists"));
  CHECK(Ask(db.get(), "SELECT count(*) FROM t") == "0\n");
  CHECK(test::ReadBytes(journal) == planted);
  unlink(journal.c_str());
  CHECK(db.Execute("INSERT INTO t VALUES(1)"));
  CHECK_FALSE(Exists(journal));
}

TEST_CASE("only what this process has made is written as a new file") {
  TempFolder folder;
  const std::string path = folder / "new", other = folder / "other";
  REQUIRE(CreatePrivateFile(path).ok());
  test::WriteBytes(other, std::string());
  for (const bool linked : {false, true}) {
    unlink(path.c_str());
    if (linked) {
      REQUIRE(symlink(other.c_str(), path.c_str()) == 0);
    } else {
      REQUIRE(link(other.c_str(), path.c_str()) == 0);
    }
    sqlite::Database db = sqlite::Database::Open(path, Opening::kWrite);
    CHECK_FALSE(db.Execute("CREATE TABLE t(a)"));
    CHECK(test::ReadBytes(other).empty());
  }
}

TEST_CASE("a connection reaches no other file") {
  TempFolder folder;
  const std::string path = folder / "db", other = folder / "other";
  test::Forge(path, kSetup);
  test::Forge(other, kSetup);
  for (const Opening opening : {Opening::kRead, Opening::kAppend}) {
    sqlite::Database db = sqlite::Database::Open(path, opening);
    for (const std::string& sql :
         {"ATTACH '" + other + "' AS o", "ATTACH '" + folder.operator/("made") + "' AS o",
          "ATTACH 'file:" + other + "?vfs=unix' AS o", "VACUUM INTO '" + other + "2'",
          std::string("VACUUM")}) {
      INFO(sql);
      CHECK_FALSE(db.Execute(sql.c_str()));
    }
    db.Execute("PRAGMA journal_mode=WAL; CREATE TABLE w(a)");
    CHECK(Ask(db.get(), "PRAGMA journal_mode") != "wal\n");
  }
  CHECK(folder.Names() == std::vector<std::string>{"db", "other"});
  // A name that SQLite takes for a URI is a name.
  const std::string uri = "file:other?vfs=unix-none";
  char before[4096];
  REQUIRE(getcwd(before, sizeof before) != nullptr);
  REQUIRE(chdir((folder / "").c_str()) == 0);
  CopyFile(path, uri);
  test::Forge("./" + uri, "DELETE FROM t WHERE id > 7");
  sqlite::Database db = sqlite::Database::Open(uri, Opening::kRead);
  const std::string rows = Ask(db.get(), "SELECT count(*) FROM t");
  REQUIRE(chdir(before) == 0);
  CHECK(rows == "7\n");
}

TEST_CASE("a journal without a profile is removed if a recording left it, else refused") {
  TempFolder folder;
  const std::string path = folder / "p.gprofx", journal = path + "-journal";
  const auto create = [&] {
    const Result<ProfileWriter> writer = ProfileWriter::Create(path);
    const std::string answer = writer ? "" : writer.error().Text();
    unlink(path.c_str());
    return answer;
  };
  MakeUnfinished(folder / "db", kSetup, "UPDATE t SET v = 'changed' || id", false);
  CopyFile(folder / "db-journal", journal);
  CHECK(create() == "");
  CHECK_FALSE(Exists(journal));
  test::WriteBytes(journal, std::string("notes"));
  CHECK_THAT(create(), Catch::Contains("exists without its profile; remove it"));
  CHECK(test::ReadBytes(journal) == "notes");
  unlink(journal.c_str());
  test::WriteBytes(folder / "victim", std::string("precious"));
  REQUIRE(symlink((folder / "victim").c_str(), journal.c_str()) == 0);
  CHECK_THAT(create(), Catch::Contains("exists without its profile"));
  unlink(journal.c_str());
  if (geteuid() != 0) return;
  CopyFile(folder / "db-journal", journal);
  REQUIRE(chown(journal.c_str(), 12345, 12345) == 0);
  CHECK_THAT(create(), Catch::Contains("exists without its profile"));
  CHECK(Exists(journal));
}

TEST_CASE("a profile that is read narrows the mode of all that is made of it") {
  TempFolder folder;
  const std::string path = test::WriteFinished(folder, test::RandomProfile(1, 20), 10);
  const mode_t before = umask(022);
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  REQUIRE(LoadProfile(path).ok());
  CHECK((DerivedMode() & 0137) == 0);
  REQUIRE(chmod(path.c_str(), 0400) == 0);
  REQUIRE(LoadProfile(path).ok());
  umask(before);
  CHECK(DerivedMode() == 0600);
}

}  // namespace
}  // namespace gprofx
