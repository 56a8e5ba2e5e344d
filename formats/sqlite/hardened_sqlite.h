// Opening an SQLite file that anybody may have made: a profile, or what is imported.
//
// What makes it safe: opened read-only (but see Access); defensive mode, no trusted schema, no
// views, triggers, virtual tables or computed columns; an authorizer that allows nothing but
// reading; low limits of lengths and operations; quick_check of what may hold shared pages,
// cell_size_check for all; and a limit of work.
//
// Work is counted, not timed, so that a file gets the same answer on every machine: operations of
// SQLite's machine, bytes of texts and blobs, numbers decoded. What a file may cost grows with its
// size, and so does the memory that it may take. Nothing here is process-wide.
//
// The file stays open, and a read transaction with it: all that is read is one state, whatever
// happens to the name meanwhile. While it lives, nobody can commit into the file. One thread per
// object.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "formats/sqlite/sqlite.h"
#include "formats/sqlite/sqlite_header.h"
#include "formats/sqlite/sqlite_limits.h"

namespace gprofx {

// What errors say of files of a kind.
struct FileKind {
  const char* noun;         // "gprof-x profile"
  const char* word;         // the same in short
  uint32_t application_id;  // 0 = any
  const char* origin;       // who writes such files
  const char* missing_fix;  // what to do where there is none
  const char* empty_fix;    // where it holds nothing
  const char* copy_fix;     // where its end is missing
  const char* damage_fix;
};

struct SqliteColumn {
  std::string name, type;  // the type as declared
  bool is_key = false;     // of the primary key
};

class HardenedSqlite {
 public:
  // `kind` must outlive the object. A file with an unfinished commit of a program that was killed
  // is read as its last commit left it. Reading writes and deletes nothing; see sqlite::Opening.
  static Result<HardenedSqlite> Open(const std::string& path, const FileKind& kind,
                                     Access access = Access::kRead);
  HardenedSqlite(HardenedSqlite&&) noexcept;
  HardenedSqlite& operator=(HardenedSqlite&&) noexcept;
  ~HardenedSqlite();  // takes back what was not committed

  // Tables and indexes and nothing else? To be asked before anything is read.
  Status CheckSchema();

  const std::string& path() const;
  const DatabaseHeader& header() const;
  uint64_t size() const;                                     // bytes of the file
  const std::set<std::string, std::less<>>& tables() const;  // after CheckSchema
  bool HasTable(std::string_view table) const { return tables().contains(table); }

  // An Error if one of them is computed.
  Result<std::vector<SqliteColumn>> Columns(const std::string& table) const;
  // Reads the structure of a table and of the pages that its texts lie on.
  Status QuickCheck(const char* table) const;
  // The largest id of a table whose ids count from 1; 0 if it is empty or absent.
  size_t LastId(const char* table) const;

  sqlite::Statement Query(std::string_view sql) const;

  // One page as it is in the file; counted from 1, `page` as large as pages are. False: not there.
  bool ReadPage(uint32_t number, std::span<std::byte> page) const;

  // Work starts to be counted anew: before each thing that is asked of the file.
  void StartWork() const;
  // False: it was more than a file of this size may cost.
  bool Spend(uint64_t units) const;
  // For the texts and blobs of the statement's row.
  bool SpendRow(const sqlite::Statement& row) const { return Spend(row.RowBytes() / 16); }

  // The error for a statement that did not end with SQLITE_DONE, or (code SQLITE_DONE) for contents
  // that make no sense.
  Error Damage(int code, const std::string& where) const;

  // With kAppend. After a commit the object is of no use.
  Status Commit();
  Error AppendError(const std::string& where) const;  // why a statement failed

 private:
  struct Impl;
  explicit HardenedSqlite(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
