// Estimates the memory use of containers in bytes. Callers use it to limit the memory that a
// hostile target can make gprof-x use.
//
// Counts only the container itself, not memory that its elements own. Pure, O(1).
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
// For maps and sets. Each element is a separate allocation with pointers to others.
template <class Map>
requires requires { typename Map::key_type; }
size_t HeldBytes(const Map& items) {
  constexpr size_t kLinks = 48;
  return items.size() * (sizeof(typename Map::value_type) + kLinks);
}

}  // namespace gprofx
