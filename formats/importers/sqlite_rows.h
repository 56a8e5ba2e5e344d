// Reads rows of tables that other tools wrote. The size of the file bounds the work and the number
// of rows. Blocking; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "formats/sqlite/hardened_sqlite.h"

namespace gprofx::importers {

// Returns `number` as a uint32_t; 0 if it does not fit.
inline uint32_t Unsigned(int64_t number) {
  return number >= 0 && number <= UINT32_MAX ? static_cast<uint32_t>(number) : 0;
}

// Calls `take` for each row of a query. `table` is the name to show in errors.
Status ForEachRow(const HardenedSqlite& file, const std::string& sql, const std::string& table,
                  const std::function<void(const sqlite::Statement&)>& take);

// Returns the number of rows of a table.
Result<int64_t> CountRows(const HardenedSqlite& file, const std::string& table);

}  // namespace gprofx::importers
