#include "formats/database/added_table.h"

#include <string_view>

namespace gprofx {

bool IsTableName(const std::string& name) {
  constexpr size_t kLongest = 60;
  return !name.empty() && name.size() <= kLongest && name[0] >= 'a' && name[0] <= 'z' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

AddedTable FindingTable() {
  return {"finding",
          {{"rule", CellType::kText},
           {"node", CellType::kInteger},
           {"saving_ns", CellType::kInteger},
           {"evidence", CellType::kText}},
          {}};
}

std::string_view SqlType(CellType type) {
  constexpr std::string_view kNames[] = {"INTEGER", "REAL", "TEXT"};
  return kNames[static_cast<size_t>(type)];
}

}  // namespace gprofx
