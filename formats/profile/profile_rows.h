// Writes rows of a Profile into the tables of a database: either all rows, or the changes since the
// last time (formats/profile/profile_changes.h). Call the functions inside a transaction. They
// return false on an SQLite error. The object holds only prepared statements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/profile.h"
#include "formats/database/row_putter.h"
#include "formats/profile/profile_changes.h"
#include "formats/reading/gpu_rows.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

class ProfileRows : private RowPutter<ProfileRows> {
 public:
  explicit ProfileRows(sqlite3* db);

  bool Write(const Profile& profile);  // the tables must be empty
  bool Write(const ProfileChanges& changes);

  bool WriteMeta(const std::string& name, const std::string& value);
  bool WriteQuality(const std::string& name, int64_t value);

 private:
  friend RowPutter;
  bool Put(uint32_t id, std::string_view text);
  bool Put(uint32_t id, const Function& function);
  bool Put(uint32_t id, const Frame& frame);
  bool Put(uint32_t id, const Node& node);
  bool Put(uint32_t id, const Metric& metric);
  bool Put(uint32_t id, const Process& process);
  bool Put(uint32_t id, const Thread& thread);
  bool Put(uint32_t id, const Module& module);
  bool Put(uint32_t id, const LoadRange& range);
  bool Put(uint32_t id, const Value& value);

  template <class Meta, class Quality>
  bool WriteFacts(const Meta& meta, const Quality& quality);

  sqlite::Statement string_, function_, frame_, node_, metric_;
  sqlite::Statement process_, thread_, module_, range_;
  sqlite::Statement new_value_, value_, meta_, quality_;
  GpuRows gpu_;
};

}  // namespace gprofx
