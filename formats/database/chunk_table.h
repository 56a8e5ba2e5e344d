// Writes the tables `stream` and `chunk` of a database. Used only inside formats/.
#pragma once

#include "core/events/events.h"
#include "formats/database/chunk.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

// Inserts one row for each stream into the table `stream`, with 0 as its number of rows. Returns
// false on an SQLite error.
bool InsertStreams(sqlite::Database& db);

class ChunkTable {
 public:
  explicit ChunkTable(sqlite3* db);

  bool Insert(Stream stream, const TimedChunk& chunk);  // false on an SQLite error or without data
  int64_t last_id() const;                              // id of the last inserted chunk
  bool Remove(int64_t id);
  bool SetRows(Stream stream, int64_t rows);

 private:
  sqlite3* db_;
  sqlite::Statement insert_, set_rows_, remove_;
};

}  // namespace gprofx
