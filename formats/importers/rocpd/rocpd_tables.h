// Reads the tables of one recording in a rocpd file, in both of their layouts (rocpd.h).
//
// Columns that the file lacks are NULL. Rows are in any order. The size of the file bounds the work
// and the number of rows. One thread.
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

class RocpdTables {
 public:
  using Take = std::function<void(const sqlite::Statement&)>;

  // The first columns of each event, in this order.
  enum EventColumn : int {
    kStart,
    kEnd,
    kProcess,
    kThread,
    kAgent,
    kQueue,
    kStream,
    kStackId,
    kCategory,
    kEventText,  // text in JSON
    kCallStack,  // text in JSON
    kEventColumns
  };

  // The names of the recording's tables end in `suffix`.
  RocpdTables(const HardenedSqlite& file, std::string suffix);

  // Finds out which columns the tables have. Call it first.
  Status Learn();

  bool Has(const std::string& table, std::string_view column) const;

  // Calls `take` for each row of a table of facts. `table` is the name of the table without
  // "rocpd_info_".
  Status Facts(const char* table, const std::vector<const char*>& columns, const Take& take);
  // Calls `take` for each row of a table of events. Rows have the columns of EventColumn, then
  // those in `more`. `table` is the name of the table without "rocpd_".
  Status Events(const char* table, const std::vector<const char*>& more, const Take& take);
  // Returns the number of rows of a table. `table` is the name without "rocpd_".
  Result<int64_t> Count(const char* table) const;

  std::string Text(int64_t id);  // returns the text with this id in rocpd_string

 private:
  std::string Name(const std::string& table) const { return "rocpd_" + table + suffix_; }
  std::string Column(const char* alias, const std::string& table, const char* column) const;
  std::string Time(const std::string& table, const char* column, const char* joined) const;
  Status Rows(const std::string& sql, const std::string& table, const Take& take);

  const HardenedSqlite& file_;
  const std::string suffix_;
  // By table name without suffix: its columns.
  std::map<std::string, std::vector<std::string>, std::less<>> columns_;
  sqlite::Statement text_;
};

}  // namespace gprofx::importers
