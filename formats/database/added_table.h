// A table that something adds to a finished profile: findings, forecasts and what will come. The
// schema of the recorder knows nothing of it; readers that do not know it skip it.
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
  std::string name;                  // lower-case letters, digits and _, as of columns
  std::vector<AddedColumn> columns;  // behind the column `id`, which counts the rows from 1
  std::vector<std::vector<Cell>> rows;
};

// May a table or column be called so?
bool IsTableName(const std::string& name);

// The table `finding`, without rows.
AddedTable FindingTable();

std::string_view SqlType(CellType type);

}  // namespace gprofx
