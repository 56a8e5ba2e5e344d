// Sums the rows that a table leaves out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/arithmetic.h"

namespace gprofx {

struct Rest {
  size_t rows = 0;
  int64_t together = 0;  // saturates
  int64_t largest = 0;   // not negative
};

// Sums the rows from position `shown` on. value(row) returns the amount of a row.
template <class Row, class Value>
Rest RestOf(const std::vector<Row>& rows, size_t shown, const Value& value) {
  Rest rest;
  for (size_t i = shown; i < rows.size(); ++i) {
    const int64_t amount = value(rows[i]);
    ++rest.rows;
    rest.together = AddSaturated(rest.together, amount);
    rest.largest = std::max(rest.largest, amount);
  }
  return rest;
}

}  // namespace gprofx
