#include "formats/profile_open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "formats/profile_db.h"
#include "formats/profile_header.h"

namespace gprofx {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTimeLimit = std::chrono::seconds(5);
constexpr int kOperationsPerCheck =
    20000;  // some 0.1 ms of SQLite's machine between looks at the clock
constexpr int64_t kHeapLimit = int64_t{160} << 20;
constexpr uint64_t kQuickCheckLimit = uint64_t{1}
                                      << 30;  // bytes of file; larger ones take too long
constexpr int kMaxSchemaRows = 1000;
constexpr char kDamageFix[] = "copy it again from where it was recorded, or record again";

// What LoadProfile reads. The first ones hold texts, which may lie on chains of pages that only
// quick_check can tell to be shared. The others hold numbers only: their rows are numbered without
// gaps, which no b-tree with pages missing, shared or in a circle can be, so reading them is the
// check.
constexpr std::array kCheckedTables = {"meta",   "quality", "string", "process",
                                       "thread", "module",  "metric", "stream"};
constexpr std::array kNumberTables = {"load_range", "function", "frame", "node", "value"};
// What a file may lack; those of the wall time, and cubin and source, which are read on request,
// hold texts.
constexpr std::array kOptionalTables = {"gpu_device", "gpu_context", "gpu_stream",
                                        "gpu_kernel_config", "wall_part", "wall_lane",
                                        "wall_lane_part", "cubin", "source"};
// What is known and not read; pc_sample is of schema 1.0, where it was empty.
constexpr std::array kOtherTables = {"pc_sample", "finding"};

class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  Descriptor(Descriptor&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~Descriptor() {
    if (file_ >= 0) close(file_);
  }
  int get() const { return file_; }

 private:
  int file_;
};

int IsAfter(void* deadline) {
  return Clock::now() > *static_cast<const Clock::time_point*>(deadline);
}

// Reading and the pragmas of this file; no ATTACH, no writing, no temporary object.
int Authorize(void*, int action, const char* name, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_TRANSACTION:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return SQLITE_DENY;
    case SQLITE_PRAGMA:
      return strcmp(name, "quick_check") == 0 || strcmp(name, "table_xinfo") == 0 ? SQLITE_OK
                                                                                  : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

void Restrict(sqlite3* db, Clock::time_point* deadline) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, nullptr);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 64 << 20);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 64 << 10);
  sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 100);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 20);
  sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 2);
  sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 20000);
  sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, 8);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_hard_heap_limit64(kHeapLimit);
  sqlite3_busy_timeout(db, 2000);
  sqlite3_exec(
      db,
      "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA query_only=ON;"
      "PRAGMA ignore_check_constraints=ON; PRAGMA cache_size=-4096; PRAGMA temp_store=MEMORY",
      nullptr, nullptr, nullptr);
  sqlite3_progress_handler(db, kOperationsPerCheck, IsAfter, deadline);
  sqlite3_set_authorizer(db, Authorize, nullptr);
}

// A rollback of somebody else's journal could be made to touch other files: only one's own is
// played back.
bool IsOwnJournal(const std::string& path) {
  struct stat info;
  return lstat((path + "-journal").c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         info.st_uid == geteuid();
}

bool IsJournalInTheWay(int code) {
  return (code & 0xff) == SQLITE_READONLY || (code & 0xff) == SQLITE_CANTOPEN;
}

Result<Descriptor> OpenRegularFile(const std::string& path, uint64_t& size) {
  // O_NONBLOCK: a named pipe must not make us wait.
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (file.get() < 0 || fstat(file.get(), &info) != 0) {
    if (errno == ENOENT) {
      return Error{"'" + path + "' does not exist", "record one with gprof-x record -- COMMAND"};
    }
    return Error{"cannot read '" + path + "': " + strerror(errno),
                 "check the name and its permissions"};
  }
  if (S_ISDIR(info.st_mode)) {
    return Error{"'" + path + "' is a folder", "name the profile in it"};
  }
  if (!S_ISREG(info.st_mode)) {
    return Error{"'" + path + "' is not a regular file", "copy the profile into a file"};
  }
  size = static_cast<uint64_t>(info.st_size);
  return file;
}

// What a file says of its writer is shown to people: 40 harmless characters.
bool IsVersion(std::string_view text) {
  return !text.empty() && text.size() <= 40 &&
         text.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                ".+-~_") == std::string_view::npos;
}

}  // namespace

struct ProfileFile::Impl {
  std::string path;
  // Kept open as long as the database: closing any descriptor of a file drops SQLite's locks on it.
  Descriptor file{-1};
  DatabaseHeader header;
  uint64_t size = 0;
  Clock::time_point deadline = Clock::now() + kTimeLimit;
  sqlite::Database db;
  std::set<std::string, std::less<>> tables;
  int unknown_tables = 0;

  Result<DatabaseHeader> ReadHeader();
  int BeginReading(int flags);
  Status Begin();
  Status CheckSchema();
  Status CheckColumns(const char* table);
  Status CheckVersion();
};

ProfileFile::ProfileFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProfileFile::ProfileFile(ProfileFile&&) noexcept = default;
ProfileFile& ProfileFile::operator=(ProfileFile&&) noexcept = default;
ProfileFile::~ProfileFile() = default;

Result<DatabaseHeader> ProfileFile::Impl::ReadHeader() {
  std::array<std::byte, kDatabaseHeaderSize> bytes{};
  const ssize_t got = pread(file.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) return Error{"cannot read '" + path + "': " + strerror(errno), "check its disk"};
  struct stat info;
  if (fstat(file.get(), &info) == 0) size = static_cast<uint64_t>(info.st_size);
  return ReadDatabaseHeader(path, std::span(bytes).first(static_cast<size_t>(got)));
}

int ProfileFile::Impl::BeginReading(int flags) {
  db = sqlite::Database::Open(path, flags);
  if (db.code() != SQLITE_OK) return db.code();
  Restrict(db.get(), &deadline);
  if (!db.Execute("BEGIN")) return db.code();
  sqlite::Statement schema(db.get(), "SELECT name FROM sqlite_schema");
  if (!schema) return db.code();
  schema.Next();
  return schema.code() == SQLITE_ROW ? SQLITE_OK : schema.code();
}

Status ProfileFile::Impl::Begin() {
  int code = BeginReading(SQLITE_OPEN_READONLY);
  if (IsJournalInTheWay(code)) {
    // The recording was killed inside a commit; the journal beside the file takes that commit back.
    if (IsOwnJournal(path)) code = BeginReading(SQLITE_OPEN_READWRITE);
    if (IsJournalInTheWay(code)) {
      return Error{"'" + path + "' has an unfinished commit in '" + path + "-journal'",
                   "copy both files into a folder of yours and read it there"};
    }
  }
  // Read again: the rollback may just have restored the header. The read lock keeps it from
  // changing from now on.
  Result<DatabaseHeader> now = ReadHeader();
  if (!now) return now.error();
  header = *now;
  if (Status length = CheckLength(path, header, size); !length) return length;
  if (code == SQLITE_OK) return Ok();
  if ((code & 0xff) == SQLITE_BUSY) {
    return Error{"'" + path + "' is locked by another program", "try again"};
  }
  return Error{"'" + path + "' is damaged (" + sqlite3_errstr(code) + ")", kDamageFix};
}

Result<ProfileFile> ProfileFile::Open(const std::string& path) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  Result<Descriptor> file = OpenRegularFile(path, impl->size);
  if (!file) return file.error();
  impl->file = std::move(*file);
  Result<DatabaseHeader> header = impl->ReadHeader();
  if (!header) return header.error();
  if (header->is_wal) {
    return Error{"'" + path + "' was changed to write-ahead logging, which is not read",
                 "change it back: sqlite3 FILE 'PRAGMA journal_mode=DELETE'"};
  }
  if (Status begun = impl->Begin(); !begun) return begun.error();
  if (Status schema = impl->CheckSchema(); !schema) return schema.error();
  if (Status version = impl->CheckVersion(); !version) return version.error();
  return ProfileFile(std::move(impl));
}

Status ProfileFile::Impl::CheckSchema() {
  std::set<std::string, std::less<>> missing(kCheckedTables.begin(), kCheckedTables.end());
  missing.insert(kNumberTables.begin(), kNumberTables.end());
  missing.insert("chunk");
  std::set<std::string_view> known(kOtherTables.begin(), kOtherTables.end());
  known.insert(kOptionalTables.begin(), kOptionalTables.end());
  sqlite::Statement schema(db.get(), "SELECT type, name, rootpage FROM sqlite_schema");
  for (int count = 0; schema.Next(); ++count) {
    const std::string_view type = schema.Text(0);
    const std::string_view name = schema.Text(1);
    if (count >= kMaxSchemaRows || (type != "table" && type != "index") || schema.Int(2) <= 0) {
      return Error{"'" + path + "' holds views, triggers, virtual tables or too many tables",
                   "no profile does; do not trust this file"};
    }
    if (type != "table") continue;
    tables.emplace(name);
    if (const auto found = missing.find(name); found != missing.end()) {
      missing.erase(found);
    } else if (!known.contains(name)) {
      ++unknown_tables;
    }
  }
  if (schema.code() != SQLITE_DONE || !missing.empty()) {
    return Error{"'" + path + "' is damaged (" +
                     (missing.empty() ? sqlite3_errstr(schema.code())
                                      : "table " + *missing.begin() + " is missing") +
                     ")",
                 kDamageFix};
  }
  for (const char* table : kCheckedTables) {
    if (Status columns = CheckColumns(table); !columns) return columns;
  }
  for (const char* table : kNumberTables) {
    if (Status columns = CheckColumns(table); !columns) return columns;
  }
  for (const char* table : kOptionalTables) {
    if (!tables.contains(std::string_view(table))) continue;
    if (Status columns = CheckColumns(table); !columns) return columns;
  }
  return CheckColumns("chunk");
}

// Generated columns are code of the file's author.
Status ProfileFile::Impl::CheckColumns(const char* table) {
  constexpr int kHidden = 6;
  sqlite::Statement columns(db.get(), "PRAGMA table_xinfo(" + std::string(table) + ")");
  bool is_plain = true;
  while (columns.Next()) is_plain = is_plain && columns.Int(kHidden) == 0;
  if (is_plain && columns.code() == SQLITE_DONE) return Ok();
  return Error{"'" + path + "' has computed columns in table " + table,
               "no profile does; do not trust this file"};
}

Status ProfileFile::Impl::CheckVersion() {
  const uint32_t major = header.user_version / 1000;
  if (major == kSchemaMajor) return Ok();
  if (major < kSchemaMajor) {
    return Error{"'" + path + "' has no valid schema version", kDamageFix};
  }
  std::string writer = "a newer gprof-x";
  sqlite::Statement version(db.get(),
                            "SELECT value FROM meta NOT INDEXED WHERE name='tool_version'");
  if (version.Next() && IsVersion(version.Text(0))) {
    writer = "gprof-x " + std::string(version.Text(0));
  }
  return Error{"'" + path + "' was written by " + writer + " (schema " + std::to_string(major) +
                   "." + std::to_string(header.user_version % 1000) +
                   "), this one reads up to schema " + std::to_string(kSchemaMajor),
               "install a newer gprof-x"};
}

Status ProfileFile::QuickCheck() const {
  for (const char* table : kCheckedTables) {
    if (Status check = QuickCheck(table); !check) return check;
  }
  for (const char* table : {"wall_part", "wall_lane_part"}) {
    if (!HasTable(table)) continue;
    if (Status check = QuickCheck(table); !check) return check;
  }
  return Ok();
}

Status ProfileFile::QuickCheck(const char* table) const {
  if (impl_->size > kQuickCheckLimit) return Ok();
  sqlite::Statement check(impl_->db.get(), "PRAGMA quick_check(" + std::string(table) + ")");
  if (!check.Next()) return Damage(check.code(), table);
  if (check.Text(0) != "ok") return Damage(SQLITE_CORRUPT, table);
  return IsLate() ? Damage(SQLITE_INTERRUPT, table) : Ok();
}

bool ProfileFile::HasTable(std::string_view table) const { return impl_->tables.contains(table); }

size_t ProfileFile::LastId(const char* table) const {
  if (!HasTable(table)) return 0;
  sqlite::Statement last(impl_->db.get(),
                         "SELECT id FROM " + std::string(table) + " ORDER BY id DESC LIMIT 1");
  const int64_t id = last.Next() ? last.Int(0) : 0;
  return id > 0 && id <= UINT32_MAX ? static_cast<size_t>(id) : 0;
}

sqlite::Statement ProfileFile::Query(const char* sql) const {
  return sqlite::Statement(impl_->db.get(), sql);
}

int ProfileFile::unknown_tables() const { return impl_->unknown_tables; }
void ProfileFile::Extend(Clock::duration time) { impl_->deadline += time; }
bool ProfileFile::IsLate() const { return Clock::now() > impl_->deadline; }

Error ProfileFile::Damage(int code, const std::string& where) const {
  const std::string file = "'" + impl_->path + "'";
  switch (code & 0xff) {
    case SQLITE_INTERRUPT:
      return {file + " takes too long to read (table " + where + ")", "do not trust this file"};
    case SQLITE_NOMEM:
    case SQLITE_TOOBIG:
      return {file + " needs too much memory (table " + where + ")", "do not trust this file"};
    case SQLITE_DONE:
    case SQLITE_ROW:
      return {file + " is damaged (table " + where + ")", kDamageFix};
    default:
      return {file + " is damaged (table " + where + ": " + sqlite3_errstr(code) + ")", kDamageFix};
  }
}

}  // namespace gprofx
