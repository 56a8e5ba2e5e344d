// Opening a profile database that anybody may have made.
//
// What makes it safe: opened read-only; defensive mode, no trusted schema, no views, triggers,
// virtual tables or generated columns; an authorizer that allows nothing but reading; low limits of
// lengths, operations and heap; a limit of work that interrupts any statement; quick_check of the
// tables that hold texts, cell_size_check for all. The large tables are left out of quick_check, which
// would read the whole file: rows of numbers prove themselves by their ids, see profile_open.cpp,
// and chunks by their checksums. One thread per object.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "core/result.h"
#include "formats/sqlite.h"

namespace gprofx {

// The CPU time of this thread: what a file costs us, however slow the disk or the machine is. A
// file that makes readers work for ever is a trap; one that lies far away is not.
std::chrono::nanoseconds WorkClock();

class ProfileFile {
 public:
  // Answers with the open file inside a read transaction, or with what is wrong with it.
  static Result<ProfileFile> Open(const std::string& path);
  ProfileFile(ProfileFile&&) noexcept;
  ProfileFile& operator=(ProfileFile&&) noexcept;
  ~ProfileFile();

  sqlite::Statement Query(const char* sql) const;

  // Reads the structure of the tables that hold texts and are read with every profile; or of one.
  Status QuickCheck() const;
  Status QuickCheck(const char* table) const;

  // Tables that not every version has.
  bool HasTable(std::string_view table) const;
  // The largest id of a table whose ids count from 1; 0 if it is empty or absent.
  size_t LastId(const char* table) const;

  int unknown_tables() const;

  // Work that was not spent here does not count.
  void Extend(std::chrono::nanoseconds work);
  bool IsLate() const;

  // The error for a statement that did not end with SQLITE_DONE, or (code SQLITE_DONE) for contents
  // that make no sense.
  Error Damage(int code, const std::string& where) const;

 private:
  struct Impl;
  explicit ProfileFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
