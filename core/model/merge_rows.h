// Matches rows that are not interned (plain rows) to rows of another profile. Used by
// core/model/merge.cpp only.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

// Returns the new id of `id`. Returns 0 if `id` is 0 or not in the map.
template <class Tag>
Id<Tag> At(const std::vector<Id<Tag>>& map, Id<Tag> id) {
  return id && id.index() < map.size() ? map[id.index()] : Id<Tag>{};
}

// Merges `rows` into `into`, a table of the model, and returns the new id of each row. The ids that
// `rows` contain must already be those of the merged profile. A row matches a row of `into` that
// has the same key and no other match. join(row of `into`, row) then combines the two. A row
// without a match is appended. Two of `rows` never become one row. `key` returns an optional: a row
// without a key matches nothing.
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

// A `join` for Fold that keeps the existing row unchanged.
inline constexpr auto kKeep = [](auto&, const auto&) {};

}  // namespace gprofx
