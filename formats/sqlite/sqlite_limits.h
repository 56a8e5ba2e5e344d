// Limits the resources that an untrusted file can demand of SQLite. Used only inside formats/.
#pragma once

#include <cstdint>

#include "formats/sqlite/sqlite.h"

namespace gprofx {

enum class Access {
  kRead,
  kAppend,  // may also create tables and insert and delete rows, in one transaction
};

// The work done so far, and its maximum. The unit is one operation of SQLite's virtual machine,
// which takes about 5 ns. Reading a profile takes 1 to 4 units per byte.
struct SqliteWork {
  uint64_t done = 0, most = 0;

  static uint64_t MostOf(uint64_t file_bytes) { return 100'000'000 + 64 * file_bytes; }
};

// Sets the limits of a connection. Call it before reading anything. Statements are interrupted when
// the work exceeds its maximum. `work` must outlive the connection.
void Restrict(sqlite3* db, Access access, uint64_t file_bytes, SqliteWork* work);

}  // namespace gprofx
