// Defines a table that an analysis adds to a finished profile, for example findings or forecasts.
// The recorder writes no rows into it. Readers that do not know the table skip it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gprofx {

enum class CellType { kInteger, kReal, kText };
// A cell of a table. The alternatives are in the order of CellType.
using Cell = std::variant<int64_t, double, std::string>;

struct AddedColumn {
  std::string name;
  CellType type = CellType::kInteger;
  bool operator==(const AddedColumn&) const = default;
};

struct AddedTable {
  std::string name;                  // lower-case letters, digits and _, as in column names
  std::vector<AddedColumn> columns;  // without the first column `id`, which numbers the rows from 1
  std::vector<std::vector<Cell>> rows;
};

// True if an added table or one of its columns may have this name. A name is a letter, followed by
// letters, digits and _; all are lower-case, and there are at most 60 characters.
bool IsTableName(const std::string& name);

// Returns the table `finding` without rows. A profile stores its findings in it.
AddedTable FindingTable();

std::string_view SqlType(CellType type);

}  // namespace gprofx
