#include "formats/sqlite/sqlite_limits.h"

#include <algorithm>
#include <cstring>

namespace gprofx {
namespace {

constexpr int kOperationsPerCheck = 20000;
constexpr uint64_t kMinLength = uint64_t{1} << 20, kMaxLength = uint64_t{64} << 20;

int CountOperations(void* work) {
  auto* const count = static_cast<SqliteWork*>(work);
  count->done += kOperationsPerCheck;
  return count->done > count->most ? 1 : 0;
}

// Authorizer for reading. It allows SELECT and the pragmas that hardened_sqlite.cpp uses. It denies
// everything else, such as ATTACH, writing and temporary objects.
int AuthorizeReading(void*, int action, const char* name, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_TRANSACTION:
      return SQLITE_OK;
    case SQLITE_PRAGMA:
      return strcmp(name, "quick_check") == 0 || strcmp(name, "table_xinfo") == 0 ? SQLITE_OK
                                                                                  : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

// Authorizer for appending. It also allows creating tables and inserting and deleting rows.
// Functions stay denied, so no indexes on expressions are possible.
int AuthorizeAppending(void* context, int action, const char* name, const char* a, const char* b,
                       const char* c) {
  switch (action) {
    case SQLITE_INSERT:
    case SQLITE_DELETE:
    case SQLITE_CREATE_TABLE:
      return SQLITE_OK;
    case SQLITE_UPDATE:  // CREATE TABLE does this itself
      return strcmp(name, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    default:
      return AuthorizeReading(context, action, name, a, b, c);
  }
}

}  // namespace

void Restrict(sqlite3* db, Access access, uint64_t size, SqliteWork* work) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, nullptr);
  // No text or blob can be longer than the file.
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH,
                static_cast<int>(std::clamp(size, kMinLength, kMaxLength)));
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 64 << 10);
  sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 100);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 20);
  sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 2);
  sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 20000);
  sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, 8);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_busy_timeout(db, 2000);
  // Set the progress handler before the pragmas, because some of them read the schema.
  sqlite3_progress_handler(db, kOperationsPerCheck, CountOperations, work);
  sqlite3_exec(db,
               "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;"
               "PRAGMA ignore_check_constraints=ON; PRAGMA cache_size=-4096;"
               "PRAGMA temp_store=MEMORY",
               nullptr, nullptr, nullptr);
  if (access == Access::kRead) {
    sqlite3_exec(db, "PRAGMA query_only=ON", nullptr, nullptr, nullptr);
  }
  sqlite3_set_authorizer(db, access == Access::kRead ? AuthorizeReading : AuthorizeAppending,
                         nullptr);
}

}  // namespace gprofx
