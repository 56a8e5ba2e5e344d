// A profile database that anybody may have made, opened as formats/sqlite/hardened_sqlite.h says,
// and known to be one: its tables are there, their columns stand in the order of the schema and its
// version can be read. Used inside formats/ only.
//
// The large tables are left out of quick_check, which would read the whole file: rows of numbers
// prove themselves by their ids, see profile_open.cpp, and chunks by their checksums. One thread
// per object.
#pragma once

#include <string>

#include "core/base/result.h"
#include "formats/sqlite/hardened_sqlite.h"

namespace gprofx {

class ProfileFile : public HardenedSqlite {
 public:
  // Answers with the open file inside a transaction, or with what is wrong with it.
  static Result<ProfileFile> Open(const std::string& path, Access access = Access::kRead);

  using HardenedSqlite::QuickCheck;
  // The same for the tables that hold texts and are read with every profile.
  Status QuickCheckTexts() const;

  // Tables that no schema known here has.
  int unknown_tables() const { return unknown_tables_; }

 private:
  explicit ProfileFile(HardenedSqlite file) : HardenedSqlite(std::move(file)) {}
  Status CheckTables();
  Status CheckColumns(const std::string& table) const;
  Status CheckVersion() const;

  int unknown_tables_ = 0;
};

// Is it the recorder who writes this table? Then nobody else does.
bool IsRecorded(const std::string& table);

}  // namespace gprofx
