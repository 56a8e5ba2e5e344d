#include "formats/profile/profile_setup.h"

#include <cerrno>

#include "formats/database/chunk_table.h"
#include "formats/database/schema.h"
#include "formats/profile/profile_db.h"
#include "formats/sqlite/output_file.h"

namespace gprofx {

Error SqliteError(const std::string& path, const sqlite::Database& db) {
  if (const std::optional<Error> refusal = db.refusal()) return *refusal;
  const int primary = db.code() & 0xff;
  int error_number = db.get() ? sqlite3_system_errno(db.get()) : 0;
  // After an error inside COMMIT, only the file has the errno, not the database.
  if (error_number == 0 && db.get()) {
    sqlite3_file_control(db.get(), nullptr, SQLITE_FCNTL_LAST_ERRNO, &error_number);
  }
  if (primary == SQLITE_FULL) error_number = ENOSPC;
  if (primary == SQLITE_BUSY) {
    return {ErrorId::kLocked, "cannot write '" + path + "': another program keeps it locked",
            "end that program, then try again"};
  }
  const bool is_file_error = primary == SQLITE_FULL || primary == SQLITE_IOERR ||
                             primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY;
  return WriteError(path, is_file_error ? error_number : 0, db.Message());
}

bool SetUp(sqlite::Database& db) {
  const std::string version =
      "PRAGMA application_id=" + std::to_string(kApplicationId) +
      "; PRAGMA user_version=" + std::to_string(kSchemaMajor * 1000 + kSchemaMinor) + ";";
  const std::string facts = "INSERT INTO meta VALUES('schema','" + std::to_string(kSchemaMajor) +
                            "." + std::to_string(kSchemaMinor) + "'),('complete','no')";
  return db.Execute(
             "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA mmap_size=0;"
             "PRAGMA cache_size=-8192") &&
         db.Execute("BEGIN IMMEDIATE") && db.Execute(version.c_str()) && db.Execute(kSchemaSql) &&
         InsertStreams(db) && db.Execute(facts.c_str()) && db.Execute("COMMIT");
}

Status MakeEmptyProfile(const std::string& file, const std::string& path) {
  sqlite::Database db = sqlite::Database::Open(file, sqlite::Opening::kWrite);
  return SetUp(db) ? Ok() : Status(SqliteError(path, db));
}

}  // namespace gprofx
