// Estimates the memory use of a container in bytes. Callers limit with it how much memory a hostile
// target can make gprof-x use.
//
// Counts only the container itself, not what its elements own elsewhere. Pure, O(1).
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
// Maps and sets. Each element is an allocation of its own with links to others.
template <class Map>
requires requires { typename Map::key_type; }
size_t HeldBytes(const Map& items) {
  constexpr size_t kLinks = 48;
  return items.size() * (sizeof(typename Map::value_type) + kLinks);
}

}  // namespace gprofx
