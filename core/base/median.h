// The median; of an even number of values the upper one, of none 0. Linear; pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gprofx {

template <class Value>
Value Median(std::vector<Value> values) {
  if (values.empty()) return Value{};
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace gprofx
