// Opens an untrusted database (formats/sqlite/hardened_sqlite.h) and checks that it is a profile:
// its tables exist, their columns are in the order of the schema, and this version can read it.
// Used only inside formats/.
//
// quick_check does not cover the large tables, because it would read the whole file. Rows of
// numbers are checked by their ids (see profile_open.cpp), and chunks by their checksums. One
// thread per object.
#pragma once

#include <string>

#include "core/base/result.h"
#include "formats/sqlite/hardened_sqlite.h"

namespace gprofx {

class ProfileFile : public HardenedSqlite {
 public:
  // Opens the file and begins a transaction. Returns the open file, or an error that describes the
  // damage.
  static Result<ProfileFile> Open(const std::string& path, Access access = Access::kRead);

  using HardenedSqlite::QuickCheck;
  // Calls QuickCheck for the tables that hold texts and that every Load reads.
  Status QuickCheckTexts() const;

  // Returns the number of tables that no schema known to this version contains.
  int unknown_tables() const { return unknown_tables_; }

 private:
  explicit ProfileFile(HardenedSqlite file) : HardenedSqlite(std::move(file)) {}
  Status CheckTables();
  Status CheckColumns(const std::string& table) const;
  Status CheckVersion() const;

  int unknown_tables_ = 0;
};

// True if the recorder writes the table `table`. No other code may then write it.
bool IsRecorded(const std::string& table);

}  // namespace gprofx
