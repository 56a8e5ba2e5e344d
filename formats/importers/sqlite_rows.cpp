#include "formats/importers/sqlite_rows.h"

namespace gprofx::importers {
namespace {

// Minimum bytes of a row in a file, from which the maximum number of rows follows.
constexpr uint64_t kMinRowBytes = 8;

}  // namespace

Status ForEachRow(const HardenedSqlite& file, const std::string& sql, const std::string& table,
                  const std::function<void(const sqlite::Statement&)>& take) {
  sqlite::Statement rows = file.Query(sql);
  uint64_t count = 0;
  while (rows.Next()) {
    if (++count > file.size() / kMinRowBytes || !file.SpendRow(rows)) {
      return file.Damage(SQLITE_CORRUPT, table);
    }
    take(rows);
  }
  return rows.code() == SQLITE_DONE ? Ok() : Status(file.Damage(rows.code(), table));
}

Result<int64_t> CountRows(const HardenedSqlite& file, const std::string& table) {
  file.StartWork();
  sqlite::Statement rows = file.Query("SELECT 1 FROM " + HardenedSqlite::QuotedName(table));
  int64_t count = 0;
  while (rows.Next()) ++count;
  if (rows.code() != SQLITE_DONE) return file.Damage(rows.code(), table);
  return count;
}

}  // namespace gprofx::importers
