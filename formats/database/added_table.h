// A table that an analysis adds to a finished profile, for example findings or forecasts. The
// recorder's schema does not contain it; readers that do not know it skip it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gprofx {

enum class CellType { kInteger, kReal, kText };
using Cell = std::variant<int64_t, double, std::string>;  // in the order of CellType

struct AddedColumn {
  std::string name;
  CellType type = CellType::kInteger;
  bool operator==(const AddedColumn&) const = default;
};

struct AddedTable {
  std::string name;                  // lower-case letters, digits and _; the same for columns
  std::vector<AddedColumn> columns;  // after the column `id`, which counts the rows from 1
  std::vector<std::vector<Cell>> rows;
};

// True if a table or column may have this name.
bool IsTableName(const std::string& name);

// Returns the table `finding`, without rows.
AddedTable FindingTable();

std::string_view SqlType(CellType type);

}  // namespace gprofx
