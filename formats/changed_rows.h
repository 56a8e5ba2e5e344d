// Rows that their owner edits, brought up to date by comparison with a copy of what was stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gprofx {

// Hands every row that is new or differs from `stored` to `write` with its 1-based id.
template <class Row, class Write>
bool WriteChanged(const std::vector<Row>& rows, const std::vector<Row>& stored, Write write) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i < stored.size() && rows[i] == stored[i]) continue;
    if (!write(static_cast<uint32_t>(i + 1), rows[i])) return false;
  }
  return true;
}

}  // namespace gprofx
