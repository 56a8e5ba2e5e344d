// RAII handles for SQLite. Used only inside formats/.
//
// Errors are SQLite result codes; the caller, which knows the file, makes messages of them. One
// thread per database.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/sqlite/database_vfs.h"

namespace gprofx::sqlite {

struct Closer {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

// A prepared statement. Parameters and columns are numbered from 0. If it could not be prepared,
// all its functions fail.
class Statement {
 public:
  Statement() = default;
  Statement(sqlite3* db, std::string_view sql);

  explicit operator bool() const { return handle_ != nullptr; }

  // Binds the arguments in order, executes the statement and resets it. For INSERT and UPDATE.
  // Returns true on success.
  template <class... Args>
  bool Run(const Args&... args) {
    if (!handle_) return false;
    int column = 0;
    (Bind(column++, args), ...);
    const bool done = sqlite3_step(handle_.get()) == SQLITE_DONE;
    return sqlite3_reset(handle_.get()) == SQLITE_OK && done;
  }

  // Steps to the next row. Returns false at the end and on errors; code() is then SQLITE_DONE or
  // the error.
  bool Next();
  // Resets the statement, which can then run again with other parameters.
  void Reset() { sqlite3_reset(handle_.get()); }
  int code() const { return code_; }

  void Bind(int column, int64_t value) { sqlite3_bind_int64(handle_.get(), column + 1, value); }
  void Bind(int column, uint32_t value) { Bind(column, int64_t{value}); }
  void Bind(int column, int value) { Bind(column, int64_t{value}); }
  void Bind(int column, uint64_t value) { Bind(column, static_cast<int64_t>(value)); }
  void Bind(int column, double value) { sqlite3_bind_double(handle_.get(), column + 1, value); }
  // Texts and blobs are not copied: they must outlive the step.
  void Bind(int column, std::string_view text);
  void Bind(int column, std::span<const std::byte> blob);

  int64_t Int(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  double Real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  int Type(int column) const { return sqlite3_column_type(handle_.get(), column); }
  std::string_view Text(int column) const;            // valid until the next step
  std::span<const std::byte> Blob(int column) const;  // valid until the next step
  uint64_t RowBytes() const;  // total size of the texts and blobs of this row

 private:
  std::unique_ptr<sqlite3_stmt, Closer> handle_;
  int code_ = SQLITE_MISUSE;
};

class Database {
 public:
  Database() = default;

  // Opens an existing file. Even after a failure the handle is not null; check code().
  static Database Open(const std::string& path, Opening opening);

  sqlite3* get() const { return connection_ ? connection_->db : nullptr; }
  int code() const { return get() ? sqlite3_extended_errcode(get()) : SQLITE_NOMEM; }
  std::optional<Error> refusal() const;  // see DatabaseVfs
  bool HasJournal() const { return connection_ && connection_->vfs->HasJournal(); }
  bool HasError() const;  // true if code() is an error
  std::string Message() const;
  bool Execute(const char* sql);  // returns false on errors
  void Close() { connection_.reset(); }

 private:
  struct Connection {
    Connection(const std::string& path, Opening opening)
        : vfs(std::make_unique<DatabaseVfs>(path, opening)) {}
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    std::unique_ptr<DatabaseVfs> vfs;
    sqlite3* db = nullptr;
  };
  std::unique_ptr<Connection> connection_;
};

}  // namespace gprofx::sqlite
