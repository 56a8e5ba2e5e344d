// An untrusted profile database, opened as described in formats/sqlite/hardened_sqlite.h and
// verified to be a profile: its tables exist, their columns are in the order of the schema, and its
// version can be read. Used only inside formats/.
//
// The large tables are left out of quick_check, which would read the whole file. Rows of numbers
// are verified by their ids, see profile_open.cpp, and chunks by their checksums. One thread per
// object.
#pragma once

#include <string>

#include "core/base/result.h"
#include "formats/sqlite/hardened_sqlite.h"

namespace gprofx {

class ProfileFile : public HardenedSqlite {
 public:
  // Returns the open file inside a transaction, or an error that describes the damage.
  static Result<ProfileFile> Open(const std::string& path, Access access = Access::kRead);

  using HardenedSqlite::QuickCheck;
  // Calls QuickCheck for the tables that hold texts and are read with every profile.
  Status QuickCheckTexts() const;

  // Number of tables that are in no schema known to this version.
  int unknown_tables() const { return unknown_tables_; }

 private:
  explicit ProfileFile(HardenedSqlite file) : HardenedSqlite(std::move(file)) {}
  Status CheckTables();
  Status CheckColumns(const std::string& table) const;
  Status CheckVersion() const;

  int unknown_tables_ = 0;
};

// True if the recorder writes this table; then no other code may write it.
bool IsRecorded(const std::string& table);

}  // namespace gprofx
