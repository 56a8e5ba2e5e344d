// Reads the tables of an SQLite export of Nsight Systems. Columns are found by name, because
// versions differ. Columns that the file lacks are NULL. Blocking; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "formats/sqlite/hardened_sqlite.h"

namespace gprofx::importers {

class ExportTables {
 public:
  using Row = sqlite::Statement;

  // `file` must outlive the object.
  explicit ExportTables(const HardenedSqlite& file) : file_(file) {}

  const HardenedSqlite& file() const { return file_; }

  // Finds the columns of all tables that are used. Call it first. Returns an error for computed
  // columns, because they would run code of the file's author.
  Status ReadColumns();

  bool IsUsed(const std::string& table) const { return columns_.contains(table); }
  bool Has(const std::string& table, const std::string& column) const;

  // Calls `take` for each row of a table, in any order. `wanted` names the columns; the first
  // `required` of them must exist.
  Status Rows(const char* table, const std::vector<const char*>& wanted, size_t required,
              const std::function<void(const Row&)>& take);

  // Returns the text in StringIds to which a column of `row` refers. "" for NULL or an unknown id.
  std::string TextOf(const Row& row, int column);

  // Returns the value of `name` in a table of names and values.
  std::string Fact(const char* table, const char* name);
  // Returns the number in `column` of a table with a single row; 0 if unknown.
  int64_t Number(const char* table, const char* column);

 private:
  std::string Text(int64_t id);

  const HardenedSqlite& file_;
  std::map<std::string, std::vector<std::string>, std::less<>> columns_;
  sqlite::Statement text_;
  bool texts_failed_ = false;
};

}  // namespace gprofx::importers
