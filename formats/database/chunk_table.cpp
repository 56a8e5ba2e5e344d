#include "formats/database/chunk_table.h"

#include <string>

namespace gprofx {
namespace {

std::string ColumnsInWords(const EventStream& stream) {
  std::string words;
  for (size_t i = 0; i < stream.columns.size(); ++i) {
    words += (i == 0 ? "" : ", ") + std::to_string(i + 1) + " " + stream.columns[i].name;
  }
  return words;
}

}  // namespace

bool InsertStreams(sqlite::Database& db) {
  sqlite::Statement insert(db.get(), "INSERT INTO stream VALUES(?,?,0,?)");
  const auto add = [&](Stream id, std::string_view name, std::string_view columns) {
    return insert.Run(static_cast<uint32_t>(id), name, columns);
  };
  if (!add(Stream::kCpuSamples, "cpu samples",
           "1 time ns, 2 thread, 3 node, 4 weight ns, 5 state bits") ||
      !add(Stream::kValues, "values", "1 node, 2 thread, 3 metric, 4 self") ||
      !add(Stream::kSteadyValues, "steady values", "1 node, 2 thread, 3 metric, 4 self")) {
    return false;
  }
  for (const EventStream& stream : EventStreams()) {
    if (!add(stream.id, stream.name, ColumnsInWords(stream))) return false;
  }
  return true;
}

ChunkTable::ChunkTable(sqlite3* db)
    : db_(db),
      insert_(db, "INSERT INTO chunk(stream,t_begin,t_end,rows,codec,data) VALUES(?,?,?,?,?,?)"),
      set_rows_(db, "UPDATE stream SET rows=?2 WHERE id=?1"),
      remove_(db, "DELETE FROM chunk WHERE id=?") {}

bool ChunkTable::Insert(Stream stream, const TimedChunk& chunk) {
  return !chunk.data.empty() &&
         insert_.Run(static_cast<uint32_t>(stream), chunk.begin, chunk.end, chunk.rows, kChunkCodec,
                     std::span<const std::byte>(chunk.data));
}

int64_t ChunkTable::last_id() const { return sqlite3_last_insert_rowid(db_); }

bool ChunkTable::Remove(int64_t id) { return remove_.Run(id); }

bool ChunkTable::SetRows(Stream stream, int64_t rows) {
  return set_rows_.Run(static_cast<uint32_t>(stream), rows);
}

}  // namespace gprofx
