#include "formats/sqlite/hardened_sqlite.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace gprofx {
namespace {

constexpr int kMaxSchemaRows = 1000;

bool IsRefused(int code) {
  return (code & 0xff) == SQLITE_READONLY || (code & 0xff) == SQLITE_CANTOPEN;
}

Error CannotRead(const std::string& path, int error_number) {
  return {ErrorId::kCannotRead, "cannot read '" + path + "': " + strerror(error_number),
          "check the name and its permissions"};
}

// Returns an error unless there is a regular file at `path`. Opening a named pipe or a device could
// block.
Status CheckRegular(const std::string& path, const FileKind& kind) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) {
      return Error{ErrorId::kCannotRead, "'" + path + "' does not exist", kind.missing_fix};
    }
    return CannotRead(path, errno);
  }
  const std::string word = kind.word;
  if (S_ISDIR(info.st_mode)) {
    return Error{ErrorId::kWrongFileType, "'" + path + "' is a folder",
                 "name the " + word + " in it"};
  }
  if (!S_ISREG(info.st_mode)) {
    return Error{ErrorId::kWrongFileType, "'" + path + "' is not a regular file",
                 "copy the " + word + " into a file"};
  }
  return Ok();
}

}  // namespace

struct HardenedSqlite::Impl {
  std::string path;
  const FileKind* kind = nullptr;
  Access access = Access::kRead;
  DatabaseHeader header;
  uint64_t size = 0;
  SqliteWork work;
  sqlite::Database db;
  std::set<std::string, std::less<>> tables;

  sqlite3_file* File() const;
  Status ReadHeader();
  Status OpenFile();
  int BeginTransaction();
  Status Begin();
  Error Damaged(const char* why) const {
    return {ErrorId::kDamaged, "'" + path + "' is damaged (" + why + ")", kind->damage_fix};
  }
};

HardenedSqlite::HardenedSqlite(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HardenedSqlite::HardenedSqlite(HardenedSqlite&&) noexcept = default;
HardenedSqlite& HardenedSqlite::operator=(HardenedSqlite&&) noexcept = default;
HardenedSqlite::~HardenedSqlite() = default;

// Returns SQLite's own file handle, or null if there is none. A second descriptor is no
// alternative: it could refer to another file, and closing it would release all locks that this
// process holds on the file.
sqlite3_file* HardenedSqlite::Impl::File() const {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(db.get(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return file && file->pMethods ? file : nullptr;
}

Status HardenedSqlite::Impl::ReadHeader() {
  sqlite3_file* const file = File();
  sqlite3_int64 length = 0;
  std::array<std::byte, kDatabaseHeaderSize> bytes{};
  if (!file || file->pMethods->xFileSize(file, &length) != SQLITE_OK) {
    return CannotRead(path, sqlite3_system_errno(db.get()));
  }
  size = static_cast<uint64_t>(length);
  const auto wanted = std::min(bytes.size(), static_cast<size_t>(size));
  if (wanted == 0) return Error{ErrorId::kEmptyFile, "'" + path + "' is empty", kind->empty_fix};
  if (const int code = file->pMethods->xRead(file, bytes.data(), static_cast<int>(wanted), 0);
      code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) {
    return Error{ErrorId::kCannotRead, "cannot read '" + path + "': " + sqlite3_errstr(code),
                 "check the disk for errors"};
  }
  const auto found = ReadDatabaseHeader(std::span(bytes).first(wanted));
  if (!found) {
    return Error{ErrorId::kOtherFormat, "'" + path + "' is not a " + kind->noun, kind->origin};
  }
  header = *found;
  if (kind->application_id != 0 && header.application_id != kind->application_id) {
    return Error{ErrorId::kOtherFormat,
                 "'" + path + "' is an SQLite database, but not a " + kind->noun, kind->origin};
  }
  if (header.is_wal) {
    return Error{ErrorId::kWriteAheadLog,
                 "'" + path + "' uses write-ahead logging, which gprof-x does not read",
                 "change it back: sqlite3 FILE 'PRAGMA journal_mode=DELETE'"};
  }
  work = {0, SqliteWork::MostOf(size)};
  return Ok();
}

Status HardenedSqlite::Impl::OpenFile() {
  db = sqlite::Database::Open(
      path, access == Access::kRead ? sqlite::Opening::kRead : sqlite::Opening::kAppend);
  if (db.code() != SQLITE_OK) {
    const int error_number = db.get() ? sqlite3_system_errno(db.get()) : ENOMEM;
    return CannotRead(path, error_number != 0 ? error_number : EACCES);
  }
  if (Status read = ReadHeader(); !read) return read;
  Restrict(db.get(), access, size, &work);
  return Ok();
}

int HardenedSqlite::Impl::BeginTransaction() {
  if (!db.Execute(access == Access::kRead ? "BEGIN" : "BEGIN IMMEDIATE")) return db.code();
  sqlite::Statement schema(db.get(), "SELECT name FROM sqlite_schema");
  if (!schema) return db.code();
  schema.Next();
  return schema.code() == SQLITE_ROW ? SQLITE_OK : schema.code();
}

Status HardenedSqlite::Impl::Begin() {
  if (Status open = OpenFile(); !open) return open;
  const int code = BeginTransaction();
  if (const std::optional<Error> refusal = db.refusal()) return *refusal;
  if (access == Access::kAppend && IsRefused(code)) {
    return Error{ErrorId::kCannotWrite, "cannot write '" + path + "': it is read-only",
                 "copy it to a folder that you may write"};
  }
  // Read the header again: SQLite may just have restored it from a journal. The lock keeps it
  // unchanged from now on.
  if (Status read = ReadHeader(); !read) return read;
  if (size < header.bytes()) {
    return Error{ErrorId::kTruncated,
                 "'" + path + "' is truncated: " + std::to_string(size) + " of " +
                     std::to_string(header.bytes()) + " bytes",
                 kind->copy_fix};
  }
  if (code == SQLITE_OK) return Ok();
  if ((code & 0xff) == SQLITE_BUSY) {
    return Error{ErrorId::kLocked, "'" + path + "' is locked by another program",
                 "end that program or try again later"};
  }
  return Damaged(sqlite3_errstr(code));
}

Result<HardenedSqlite> HardenedSqlite::Open(const std::string& path, const FileKind& kind,
                                            Access access) {
  if (Status regular = CheckRegular(path, kind); !regular) return regular.error();
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->kind = &kind;
  impl->access = access;
  if (Status begun = impl->Begin(); !begun) return begun.error();
  return HardenedSqlite(std::move(impl));
}

Status HardenedSqlite::CheckSchema() {
  impl_->tables.clear();
  sqlite::Statement schema(impl_->db.get(), "SELECT type, name, rootpage FROM sqlite_schema");
  for (int count = 0; schema.Next(); ++count) {
    const std::string_view type = schema.Text(0);
    const bool is_view = type == "view" && impl_->kind->has_views;
    const bool is_stored = (type == "table" || type == "index") && schema.Int(2) > 0;
    if (count >= kMaxSchemaRows || (!is_view && !is_stored)) {
      return Error{ErrorId::kHostileFile,
                   "'" + path() + "' has views, triggers, virtual tables or too many tables",
                   std::string("do not trust this file: no ") + impl_->kind->word + " has these"};
    }
    if (type == "table") impl_->tables.emplace(schema.Text(1));
  }
  if (schema.code() == SQLITE_DONE) return Ok();
  return impl_->Damaged(sqlite3_errstr(schema.code()));
}

const std::string& HardenedSqlite::path() const { return impl_->path; }
const DatabaseHeader& HardenedSqlite::header() const { return impl_->header; }
uint64_t HardenedSqlite::size() const { return impl_->size; }
const std::set<std::string, std::less<>>& HardenedSqlite::tables() const { return impl_->tables; }

std::string HardenedSqlite::QuotedName(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// Returns the columns of a table. Returns an error for computed columns, because they are code of
// the file's author.
Result<std::vector<SqliteColumn>> HardenedSqlite::Columns(const std::string& table) const {
  constexpr int kName = 1, kType = 2, kKey = 5, kHidden = 6;
  sqlite::Statement columns(impl_->db.get(), "PRAGMA table_xinfo(" + QuotedName(table) + ")");
  std::vector<SqliteColumn> found;
  bool is_plain = true;
  while (columns.Next()) {
    is_plain = is_plain && columns.Int(kHidden) == 0;
    found.push_back({std::string(columns.Text(kName)), std::string(columns.Text(kType)),
                     columns.Int(kKey) != 0});
  }
  if (is_plain && columns.code() == SQLITE_DONE) return found;
  return Error{ErrorId::kHostileFile, "'" + path() + "' has computed columns in table " + table,
               std::string("do not trust this file: no ") + impl_->kind->word + " has these"};
}

Status HardenedSqlite::QuickCheck(const char* table) const {
  sqlite::Statement check(impl_->db.get(), "PRAGMA quick_check(" + std::string(table) + ")");
  if (!check.Next()) return Damage(check.code(), table);
  return check.Text(0) == "ok" ? Ok() : Status(Damage(SQLITE_CORRUPT, table));
}

size_t HardenedSqlite::LastId(const char* table) const {
  if (!HasTable(table)) return 0;
  sqlite::Statement last(impl_->db.get(),
                         "SELECT id FROM " + std::string(table) + " ORDER BY id DESC LIMIT 1");
  const int64_t id = last.Next() ? last.Int(0) : 0;
  return id > 0 && id <= UINT32_MAX ? static_cast<size_t>(id) : 0;
}

sqlite::Statement HardenedSqlite::Query(std::string_view sql) const {
  return sqlite::Statement(impl_->db.get(), sql);
}

bool HardenedSqlite::ReadPage(uint32_t number, std::span<std::byte> page) const {
  sqlite3_file* const file = impl_->File();
  if (!file || number == 0 || page.size() != impl_->header.page_size) return false;
  return file->pMethods->xRead(file, page.data(), static_cast<int>(page.size()),
                               static_cast<sqlite3_int64>((number - 1) * uint64_t{page.size()})) ==
         SQLITE_OK;
}

void HardenedSqlite::StartWork() const { impl_->work.done = 0; }

bool HardenedSqlite::Spend(uint64_t units) const {
  SqliteWork& work = impl_->work;
  work.done += std::min(units, work.most);
  return work.done <= work.most;
}

Error HardenedSqlite::Damage(int code, const std::string& where) const {
  const std::string file = "'" + path() + "'";
  switch (code & 0xff) {
    case SQLITE_INTERRUPT:
      return {ErrorId::kHostileFile, file + " takes too much work to read (table " + where + ")",
              "do not trust this file"};
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return {ErrorId::kHostileFile, file + " needs too much memory (table " + where + ")",
              "do not trust this file"};
    case SQLITE_DONE:
    case SQLITE_ROW:
      return impl_->Damaged(("table " + where).c_str());
    default:
      return impl_->Damaged(("table " + where + ": " + sqlite3_errstr(code)).c_str());
  }
}

Status HardenedSqlite::Commit() {
  if (impl_->db.Execute("COMMIT")) return Ok();
  return AppendError("");
}

Error HardenedSqlite::AppendError(const std::string& where) const {
  if (const std::optional<Error> refusal = impl_->db.refusal()) return *refusal;
  switch (impl_->db.code() & 0xff) {
    case SQLITE_BUSY:
      return {ErrorId::kLocked, "'" + path() + "' is in use by another program",
              "end that program or try again later"};
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return {ErrorId::kCannotWrite, "cannot write '" + path() + "': " + impl_->db.Message(),
              "check that its disk is not full"};
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return {ErrorId::kCannotWrite, "cannot write '" + path() + "': it or its folder is read-only",
              "copy it to a folder that you may write"};
    default:
      return {ErrorId::kDamaged,
              "cannot add to '" + path() + "'" + (where.empty() ? "" : " (table " + where + ")") +
                  ": " + impl_->db.Message(),
              impl_->kind->damage_fix};
  }
}

}  // namespace gprofx
