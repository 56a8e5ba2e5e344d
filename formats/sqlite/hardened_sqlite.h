// Opens an untrusted SQLite file: a profile, or a file to import.
//
// Protections: read-only access (but see Access); defensive mode, no trusted schema, no views,
// triggers, virtual tables or computed columns; an authorizer that allows only reading; low limits
// of lengths and operations; quick_check for tables that may hold shared pages, cell_size_check for
// all; and a limit of work.
//
// Work is counted, not timed, so that a file gives the same result on every machine: operations of
// SQLite's virtual machine, bytes of texts and blobs, decoded numbers. The allowed work and memory
// grow with the file size. Nothing here is process-wide.
//
// The file and a read transaction stay open: all reads see one state, whatever happens to the file
// name meanwhile. As long as the object exists, nobody can commit to the file. One thread per
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

// Texts for errors about a kind of file.
struct FileKind {
  const char* noun;         // "gprof-x profile"
  const char* word;         // short form of the noun
  uint32_t application_id;  // 0 = any
  const char* origin;       // the program that writes such files
  const char* missing_fix;  // fix if there is no file
  const char* empty_fix;    // fix if the file is empty
  const char* copy_fix;     // fix if the file is truncated
  const char* damage_fix;
  bool has_views = false;  // such files have views, which are never read
};

struct SqliteColumn {
  std::string name, type;  // the type as declared
  bool is_key = false;     // part of the primary key
};

class HardenedSqlite {
 public:
  // `kind` must outlive the object. A file with an unfinished commit of a killed program is read as
  // of its last complete commit. Reading writes and deletes nothing; see sqlite::Opening.
  static Result<HardenedSqlite> Open(const std::string& path, const FileKind& kind,
                                     Access access = Access::kRead);
  HardenedSqlite(HardenedSqlite&&) noexcept;
  HardenedSqlite& operator=(HardenedSqlite&&) noexcept;
  ~HardenedSqlite();  // rolls back uncommitted changes

  // Checks that the schema has only tables and indexes, and views if the kind has them. Call before
  // reading anything.
  Status CheckSchema();

  const std::string& path() const;
  const DatabaseHeader& header() const;
  uint64_t size() const;                                     // bytes of the file
  const std::set<std::string, std::less<>>& tables() const;  // valid after CheckSchema
  bool HasTable(std::string_view table) const { return tables().contains(table); }

  // Returns a name as SQL takes it, whatever characters it has.
  static std::string QuotedName(std::string_view name);

  // Returns an Error if a column is computed.
  Result<std::vector<SqliteColumn>> Columns(const std::string& table) const;
  // Checks the structure of a table and of the pages that its texts are on.
  Status QuickCheck(const char* table) const;
  // Returns the maximum id of a table whose ids count from 1; 0 if it is empty or absent.
  size_t LastId(const char* table) const;

  sqlite::Statement Query(std::string_view sql) const;

  // Reads one raw page of the file. Pages count from 1; `page` must have the page size. Returns
  // false if there is no such page.
  bool ReadPage(uint32_t number, std::span<std::byte> page) const;

  // Resets the work counter. Call before each request to the file.
  void StartWork() const;
  // Adds work. Returns false if the total exceeds the limit for a file of this size.
  bool Spend(uint64_t units) const;
  // Charges the texts and blobs of the statement's row.
  bool SpendRow(const sqlite::Statement& row) const { return Spend(row.RowBytes() / 16); }

  // Returns the error for damaged content. `code` is that of a statement that failed, or
  // SQLITE_DONE if the statement ended well but returned invalid content.
  Error Damage(int code, const std::string& where) const;

  // Commits the changes made with Access::kAppend. Afterwards the object must not be used.
  Status Commit();
  Error AppendError(const std::string& where) const;  // why a statement failed

 private:
  struct Impl;
  explicit HardenedSqlite(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
