// Approximate memory use of a container, to limit what a hostile target can cost.
//
// Counts only the container itself, not what its elements own elsewhere. Pure, O(1). Bytes.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace gprofx {

template <class T>
size_t HeldBytes(const std::vector<T>& items) {
  return items.capacity() * sizeof(T);
}
template <class T>
size_t HeldBytes(const std::deque<T>& items) {
  return items.size() * sizeof(T);
}
// Maps and sets: each element is a separate allocation, with links.
template <class Map>
requires requires { typename Map::key_type; }
size_t HeldBytes(const Map& items) {
  constexpr size_t kLinks = 48;
  return items.size() * (sizeof(typename Map::value_type) + kLinks);
}

}  // namespace gprofx
