// Rows of a Profile into the tables of one database, again and again as the profile grows.
//
// Append-only tables are remembered by their length; rows that their owner edits by a copy of what
// was stored. So a commit costs the rows that are new or changed, plus one comparison per value.
// Memory: 8 bytes per value, a copy of the process, thread, module and range rows, meta and
// quality.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/profile.h"
#include "formats/gpu_rows.h"
#include "formats/sqlite.h"

namespace gprofx {

class ProfileRows {
 public:
  explicit ProfileRows(sqlite3* db);

  // Inserts and updates what differs from what was stored; to be called inside a transaction. False
  // on an SQLite error.
  bool Write(const Profile& profile);

  // The transaction is durable: what was written is what is stored. Without this call the next
  // Write repeats the work.
  void Remember(const Profile& profile);

  bool WriteMeta(const std::string& name, const std::string& value);
  bool WriteQuality(const std::string& name, int64_t value);

 private:
  struct Stored {  // lengths and contents of the tables as of the last Remember
    size_t strings = 0, functions = 0, frames = 0, nodes = 0, metrics = 0;
    std::vector<Process> processes;
    std::vector<Thread> threads;
    std::vector<Module> modules;
    std::vector<LoadRange> ranges;
    std::vector<int64_t> values;
    std::map<std::string, std::string> meta;
    std::map<std::string, int64_t> quality;
  };

  bool WriteNames(const Profile& profile);
  bool WriteTree(const Profile& profile);
  bool WriteOwners(const Profile& profile);
  bool WriteValues(const Profile& profile);
  bool WriteFacts(const Profile& profile);

  sqlite::Statement string_, function_, frame_, node_, metric_;
  sqlite::Statement process_, thread_, module_, range_;
  sqlite::Statement new_value_, value_, meta_, quality_;
  GpuRows gpu_;
  Stored stored_;
  std::vector<uint32_t> changed_values_;  // indices whose shadow Remember has to bring up to date
};

}  // namespace gprofx
