// Matches plain rows to rows of another profile. Used by core/model/merge.cpp only.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

// Returns 0 for id 0 and for an id that the map does not have.
template <class Tag>
Id<Tag> At(const std::vector<Id<Tag>>& map, Id<Tag> id) {
  return id && id.index() < map.size() ? map[id.index()] : Id<Tag>{};
}

// Merges rows into a table of the model, `into`. The ids in `rows` must already be those of the
// merged profile. If `into` has a row with the same key that was not matched before, calls
// join(that row, row); otherwise appends the row. Two of `rows` never become one. `key` returns an
// optional; a row without a key matches nothing. Returns the new id of each of `rows`.
template <class IdType, class Row, class Key, class Join>
std::vector<IdType> Fold(std::vector<Row>& into, std::vector<Row> rows, Key key, Join join) {
  std::multimap<typename decltype(key(rows[0]))::value_type, uint32_t> there;
  for (uint32_t i = 0; i < into.size(); ++i) {
    if (auto of = key(into[i])) there.emplace(*of, i);
  }
  std::vector<IdType> ids;
  ids.reserve(rows.size());
  for (Row& row : rows) {
    const auto of = key(row);
    const auto found = of ? there.lower_bound(*of) : there.end();
    if (found == there.end() || found->first != *of) {
      into.push_back(std::move(row));
      ids.push_back({static_cast<uint32_t>(into.size())});
      continue;
    }
    join(into[found->second], row);
    ids.push_back({found->second + 1});
    there.erase(found);
  }
  return ids;
}

// Keeps the existing row unchanged.
inline constexpr auto kKeep = [](auto&, const auto&) {};

}  // namespace gprofx
