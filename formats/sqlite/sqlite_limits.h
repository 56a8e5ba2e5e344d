// What a file that anybody may have made can ask of SQLite. Used inside formats/ only.
#pragma once

#include <cstdint>

#include "formats/sqlite/sqlite.h"

namespace gprofx {

enum class Access {
  kRead,
  kAppend,  // tables may be made, rows inserted and deleted, in one transaction
};

// A unit is one operation of SQLite's machine, some 5 ns. Reading a profile takes 1 to 4 of them
// for a byte.
struct SqliteWork {
  uint64_t done = 0, most = 0;

  static uint64_t MostOf(uint64_t file_bytes) { return 100'000'000 + 64 * file_bytes; }
};

// To be called before anything is read. `work` must outlive the connection: a statement is
// interrupted where it is used up.
void Restrict(sqlite3* db, Access access, uint64_t file_bytes, SqliteWork* work);

}  // namespace gprofx
