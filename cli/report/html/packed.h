// Packs columns of integers into bytes before compression: each number, or its difference from the
// previous one, as zigzag LEB128. The script of the page decodes them (data.js). Numbers are
// limited to +-2^52, which JavaScript can represent exactly. Pure; one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "cli/json_text.h"
#include "core/base/varint.h"

namespace gprofx {

class PackedColumns {
 public:
  // Adds a column with the number get(row) for each row. The script finds the column by `name`.
  template <class Rows, class Get>
  void Add(const char* name, const Rows& rows, const Get& get) {
    Put(name, rows, false, get);
  }
  // Adds a column like Add(). Stores differences, for numbers that differ little from the previous
  // one.
  template <class Rows, class Get>
  void AddDeltas(const char* name, const Rows& rows, const Get& get) {
    Put(name, rows, true, get);
  }

  // Returns the index of all columns: {"name": [offset, rows, deltas]}.
  const Json& directory() const { return directory_; }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class Rows, class Get>
  void Put(const char* name, const Rows& rows, bool deltas, const Get& get) {
    directory_[name] = {bytes_.size(), rows.size(), deltas ? 1 : 0};
    int64_t before = 0;
    for (const auto& row : rows) {
      constexpr int64_t kMax = int64_t{1} << 52;
      const int64_t number = std::clamp<int64_t>(static_cast<int64_t>(get(row)), -kMax, kMax);
      PutVarint(bytes_, ZigZag(deltas ? number - before : number));
      before = number;
    }
  }

  Json directory_ = Json::object();
  std::string bytes_;
};

}  // namespace gprofx
