// Opens an untrusted SQLite file: a profile, or a file to import.
//
// Protections:
//  * read-only access (exception: Access::kAppend), and an authorizer that allows only reading;
//  * defensive mode; no trusted schema, views, triggers, virtual tables or computed columns;
//  * low limits of lengths and of operations per query;
//  * quick_check for tables that may hold shared pages, and cell_size_check for all tables;
//  * a limit of the total work.
//
// Work is counted, not timed, so a file gives the same result on every machine. Operations of
// SQLite's virtual machine, bytes of texts and blobs, and decoded numbers count as work. The
// allowed work and memory grow with the file size. Nothing here is process-wide.
//
// The file and a read transaction stay open. All reads see one state, even if the file is renamed
// or replaced meanwhile. As long as the object exists, nobody can commit to the file. One thread
// per object.
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

// Words for error messages about files of one kind.
struct FileKind {
  const char* noun;         // "gprof-x profile"
  const char* word;         // short form of the noun
  uint32_t application_id;  // 0 = any
  const char* origin;       // the program that writes such files
  const char* missing_fix;  // how to fix that there is no file
  const char* empty_fix;    // how to fix an empty file
  const char* copy_fix;     // how to fix a truncated file
  const char* damage_fix;
  bool has_views = false;  // the file may have views; they are never read
};

struct SqliteColumn {
  std::string name, type;  // `type` as declared in the schema
  bool is_key = false;     // part of the primary key
};

class HardenedSqlite {
 public:
  // Opens the file at `path`. `kind` must outlive the object. If a program was killed within a
  // commit, the file is read as of its last complete commit. Reading writes and deletes nothing;
  // see sqlite::Opening.
  static Result<HardenedSqlite> Open(const std::string& path, const FileKind& kind,
                                     Access access = Access::kRead);
  HardenedSqlite(HardenedSqlite&&) noexcept;
  HardenedSqlite& operator=(HardenedSqlite&&) noexcept;
  ~HardenedSqlite();  // rolls back uncommitted changes

  // Returns an error if the schema contains anything but tables, indexes and, if `kind` allows
  // them, views. Call it before reading anything.
  Status CheckSchema();

  const std::string& path() const;
  const DatabaseHeader& header() const;
  uint64_t size() const;                                     // bytes of the file
  const std::set<std::string, std::less<>>& tables() const;  // valid after CheckSchema
  bool HasTable(std::string_view table) const { return tables().contains(table); }

  // Returns `name` quoted for SQL. `name` may contain any characters.
  static std::string QuotedName(std::string_view name);

  // Returns the columns of a table. Returns an Error if one of them is computed.
  Result<std::vector<SqliteColumn>> Columns(const std::string& table) const;
  // Returns an Error if the structure of a table, or one of the pages with its texts, is damaged.
  Status QuickCheck(const char* table) const;
  // Returns the maximum id of a table whose ids begin at 1; 0 if the table is empty or missing.
  size_t LastId(const char* table) const;

  sqlite::Statement Query(std::string_view sql) const;

  // Reads one raw page of the file. Pages count from 1; `page` must be as long as a page. Returns
  // false if there is no such page.
  bool ReadPage(uint32_t number, std::span<std::byte> page) const;

  // Resets the work counter. Call before each request to the file.
  void StartWork() const;
  // Adds `units` to the work. Returns false if the total exceeds the limit for a file of this size.
  bool Spend(uint64_t units) const;
  // Charges work for reading the texts and blobs in the current row. Returns false like Spend.
  bool SpendRow(const sqlite::Statement& row) const { return Spend(row.RowBytes() / 16); }

  // Returns the error for damaged content. `code` is that of the failed statement, or SQLITE_DONE
  // if the statement ended without an error but returned invalid content.
  Error Damage(int code, const std::string& where) const;

  // Commits the changes made with Access::kAppend. The object must not be used afterwards.
  Status Commit();
  Error AppendError(const std::string& where) const;  // returns why a statement failed

 private:
  struct Impl;
  explicit HardenedSqlite(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
