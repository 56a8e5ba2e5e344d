#include "formats/sqlite/sqlite.h"

namespace gprofx::sqlite {

Statement::Statement(sqlite3* db, std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  code_ = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()),
                             SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  handle_.reset(raw);
}

bool Statement::Next() {
  if (!handle_) return false;
  code_ = sqlite3_step(handle_.get());
  return code_ == SQLITE_ROW;
}

void Statement::Bind(int column, std::string_view text) {
  // A null pointer would store NULL instead of an empty text.
  sqlite3_bind_text64(handle_.get(), column + 1, text.empty() ? "" : text.data(), text.size(),
                      SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::Bind(int column, std::span<const std::byte> blob) {
  sqlite3_bind_blob64(handle_.get(), column + 1,
                      blob.empty() ? "" : static_cast<const void*>(blob.data()), blob.size(),
                      SQLITE_STATIC);
}

std::string_view Statement::Text(int column) const {
  const unsigned char* text = sqlite3_column_text(handle_.get(), column);
  if (!text) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::span<const std::byte> Statement::Blob(int column) const {
  const void* blob = sqlite3_column_blob(handle_.get(), column);
  if (!blob) return {};
  return {static_cast<const std::byte*>(blob),
          static_cast<size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

uint64_t Statement::RowBytes() const {
  uint64_t bytes = 0;
  const int columns = sqlite3_data_count(handle_.get());
  for (int i = 0; i < columns; ++i) {
    const int type = Type(i);
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) continue;
    bytes += static_cast<uint64_t>(sqlite3_column_bytes(handle_.get(), i));
  }
  return bytes;
}

Database::Connection::~Connection() {
  if (sqlite3_close(db) != SQLITE_BUSY) return;
  // A statement that was not finalized keeps the connection and its VFS in use. The VFS is
  // therefore never destroyed.
  sqlite3_close_v2(db);
  (void)vfs.release();
}

Database Database::Open(const std::string& path, Opening opening) {
  Database database;
  database.connection_ = std::make_unique<Connection>(path, opening);
  database.connection_->vfs->Open(&database.connection_->db);
  return database;
}

std::optional<Error> Database::refusal() const {
  return connection_ ? connection_->vfs->refusal() : std::nullopt;
}

bool Database::HasError() const {
  const int primary = code() & 0xff;
  return primary != SQLITE_OK && primary != SQLITE_ROW && primary != SQLITE_DONE;
}

std::string Database::Message() const { return get() ? sqlite3_errmsg(get()) : "out of memory"; }

bool Database::Execute(const char* sql) {
  return get() && sqlite3_exec(get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

}  // namespace gprofx::sqlite
