// Writes many rows with their ids by calling the Put functions of a writer class, until one call
// fails. Used only inside formats/.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/profile/profile_changes.h"

namespace gprofx {

// Base of the writer class `Writer`, which must make it a friend.
template <class Writer>
class RowPutter {
 protected:
  template <class Rows>
  bool PutAll(const Rows& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!writer().Put(static_cast<uint32_t>(i + 1), rows[i])) return false;
    }
    return true;
  }

  template <class Row>
  bool PutChanged(const Changed<Row>& rows) {
    return std::all_of(rows.begin(), rows.end(),
                       [this](const auto& row) { return writer().Put(row.first, row.second); });
  }

 private:
  Writer& writer() { return static_cast<Writer&>(*this); }
};

}  // namespace gprofx
