#include "formats/sqlite/database_vfs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <span>
#include <utility>

#include "core/base/file_io.h"
#include "core/base/unique_fd.h"
#include "formats/redaction/source_mode.h"
#include "formats/sqlite/journal_file.h"
#include "formats/sqlite/output_file.h"
#include "formats/sqlite/rollback_journal.h"

namespace gprofx::sqlite {
namespace {

constexpr int kOpenFlags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

// The file that SQLite opened last in this thread. Needed because SQLite's VFS does not expose the
// descriptor.
struct Opened {
  std::optional<struct stat> file;
  bool is_made_here = false;
  int error_number = 0;
};
thread_local Opened last_opened;

bool IsOpenable(int file, bool may_be_folder) {
  struct stat info;
  if (fstat(file, &info) != 0) return false;
  if (S_ISREG(info.st_mode) || (may_be_folder && S_ISDIR(info.st_mode))) {
    last_opened.file = info;
    return true;
  }
  errno = ELOOP;
  return false;
}

// Opens an existing file. Its type is checked before, because opening a device can have side
// effects. The check uses an O_PATH descriptor, because closing one does not release locks that
// this process holds on the file.
int OpenExisting(const char* path, int flags) {
  UniqueFd place(open(path, O_PATH | kOpenFlags));
  // SQLite may also open the directory here, to sync it.
  if (!place || !IsOpenable(place.get(), (flags & O_ACCMODE) == O_RDONLY)) return -1;
  return ((flags & O_PATH) != 0 ? std::move(place) : OpenPlace(place, flags & ~O_NOFOLLOW))
      .Release();
}

// Creates a file. O_EXCL guarantees that it is new and was not put there by another process.
int OpenNew(const char* path, int flags, int mode) {
  UniqueFd file(open(path, flags | kOpenFlags, mode));
  return file && IsOpenable(file.get(), false) ? file.Release() : -1;
}

// Opens a file for SQLite, in place of open(2).
int OpenRegular(const char* path, int flags, int mode) {
  last_opened = {};
  const int file = (flags & O_CREAT) != 0 ? OpenNew(path, flags, mode) : OpenExisting(path, flags);
  if (file >= 0) {
    last_opened.is_made_here = WasMadeHere(file);
    return file;
  }
  last_opened.file.reset();
  last_opened.error_number = errno;
  // Change the error, because after EEXIST SQLite would open the existing file for reading.
  if (errno == EEXIST) errno = EISDIR;
  return -1;
}

// Does nothing, in place of fchown(2). If run as root, SQLite would give a journal to the owner of
// the file at the database's path.
int KeepOwner(int, uid_t, gid_t) { return 0; }

// A result of stat(2) that gives no access to anybody and has no existing owner.
constexpr struct stat kNobodys = [] {
  struct stat info {};
  info.st_uid = static_cast<uid_t>(-1);
  return info;
}();

sqlite3_vfs* RealVfs() {
  static sqlite3_vfs* const real = [] {
    sqlite3_vfs* const found = sqlite3_vfs_find(nullptr);
    if (found && found->iVersion >= 3) {
      found->xSetSystemCall(found, "open", reinterpret_cast<sqlite3_syscall_ptr>(&OpenRegular));
      found->xSetSystemCall(found, "fchown", reinterpret_cast<sqlite3_syscall_ptr>(&KeepOwner));
    }
    return found;
  }();
  return real;
}

FileIdentity IdentityOf(const struct stat& info) { return {info.st_dev, info.st_ino}; }

// An open database, as SQLite sees it. In memory, the file object of the real VFS follows it.
struct MainFile {
  sqlite3_file base;
  void* state;
};

sqlite3_file* RealOf(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<MainFile*>(file) + 1);
}

std::string AbsolutePath(const std::string& path) {
  if (path.starts_with('/')) return path;
  char folder[PATH_MAX];
  if (!getcwd(folder, sizeof folder)) return path;
  return std::string(folder) + "/" + path;
}

}  // namespace

struct DatabaseVfs::State {
  sqlite3_vfs vfs{};
  Opening opening;
  std::string path;  // path of the database, as the user gave it
  std::string name, database, journal;
  sqlite3_file* main = nullptr;
  uid_t owner = 0;                   // owner of the database
  std::optional<FileIdentity> made;  // the journal that this connection created; unset: none
  JournalFile journal_file;          // the journal that `before` was read from
  std::optional<RollbackJournal> before;
  std::optional<Error> refusal;

  static State& Of(sqlite3_vfs* vfs) { return *static_cast<State*>(vfs->pAppData); }
  static State& Of(sqlite3_file* file) {
    return *static_cast<State*>(reinterpret_cast<MainFile*>(file)->state);
  }

  int Refuse(int code, const std::string& what, const std::string& fix,
             ErrorId id = ErrorId::kUnfinishedCommit) {
    refusal = Error{id, "'" + path + "' " + what, fix};
    return code;
  }
  int OpenMain(const char* file_name, sqlite3_file* file, int flags, int* out);
  int OpenJournal(const char* file_name, sqlite3_file* file, int flags, int* out);
  bool IsTrusted(uid_t maker) const { return maker == owner || maker == geteuid() || maker == 0; }
  int CheckJournal(uid_t maker, uint64_t size, const ReadAt& read);
  bool RemoveUnbegunJournal() const;
  int LookThrough();
  int FindJournal(int* exists);
  int PatchRead(std::span<std::byte> bytes, uint64_t offset) const;

  // Callbacks that SQLite calls: functions of the VFS and of the database file.
  static int Open(sqlite3_vfs* vfs, const char* file_name, sqlite3_file* file, int flags, int* out);
  static int Delete(sqlite3_vfs* vfs, const char* file_name, int sync);
  static int Access(sqlite3_vfs* vfs, const char* file_name, int flags, int* out);
  static int FullPathname(sqlite3_vfs* vfs, const char* file_name, int size, char* out);
  static int Close(sqlite3_file* file);
  static int Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset);
  static int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset);
  static int Truncate(sqlite3_file* file, sqlite3_int64 size);
  static int FileSize(sqlite3_file* file, sqlite3_int64* size);
  static int FileControl(sqlite3_file* file, int what, void* argument);
  static const sqlite3_io_methods kMethods;
};

// Returns an error for a journal of an untrusted user, because a journal changes what is read from
// the database. Also returns an error for a journal that names a super-journal.
int DatabaseVfs::State::CheckJournal(uid_t maker, uint64_t size, const ReadAt& read) {
  if (!IsTrusted(maker)) {
    return Refuse(SQLITE_IOERR_ACCESS,
                  "has an unfinished commit in '" + path + "-journal', which another user has made",
                  "if the recording has ended, copy the profile without it and read the copy");
  }
  if (!NamesSuperJournal(read, size)) return SQLITE_OK;
  return Refuse(SQLITE_IOERR_ACCESS, "has an unfinished commit that names other files",
                "do not trust this file: no profile has that");
}

// Looks for the journal of an unfinished commit and loads its pages into `before`. SQLite calls
// this before each transaction, while it holds the shared lock.
int DatabaseVfs::State::LookThrough() {
  before.reset();
  journal_file = JournalFile(journal);
  if (!journal_file) {
    if (errno == ENOENT || errno == EINVAL) return SQLITE_OK;
    return Refuse(SQLITE_IOERR_ACCESS,
                  "has an unfinished commit in '" + path +
                      "-journal', which cannot be read: " + strerror(errno),
                  "ask its owner for the output of gprof-x merge -o WHOLE.gprofx FILE");
  }
  int reserved = 0;
  if (!journal_file.Begins()) return SQLITE_OK;
  if (const int code = RealOf(main)->pMethods->xCheckReservedLock(RealOf(main), &reserved);
      code != SQLITE_OK) {
    return code;
  }
  // A writer that holds the reserved lock is within a commit and has not changed the database yet.
  // Its journal is not needed.
  if (reserved != 0) return SQLITE_OK;
  const ReadAt read = journal_file.reader();
  if (const int code = CheckJournal(journal_file.owner(), journal_file.size(), read);
      code != SQLITE_OK) {
    return code;
  }
  before = ReadRollbackJournal(read, journal_file.size());
  return SQLITE_OK;
}

int DatabaseVfs::State::FindJournal(int* exists) {
  struct stat info;
  if (opening == Opening::kRead) return LookThrough();
  if (lstat(journal.c_str(), &info) != 0) return SQLITE_OK;
  *exists = info.st_size > 0 && (opening == Opening::kAppend || made == IdentityOf(info)) ? 1 : 0;
  return SQLITE_OK;
}

int DatabaseVfs::State::OpenMain(const char* file_name, sqlite3_file* file, int flags, int* out) {
  if (main) return SQLITE_CANTOPEN;
  sqlite3_vfs* const real = RealVfs();
  last_opened = {};
  if (const int code = real->xOpen(real, file_name, RealOf(file), flags, out); code != SQLITE_OK) {
    return code;
  }
  // If last_opened is not set, SQLite has not called open, because it reuses a descriptor that
  // another connection left open. Open the path once to set it.
  if (!last_opened.file) {
    const int again = OpenRegular(file_name, O_PATH, 0);
    if (again >= 0) close(again);
  }
  const struct stat info = last_opened.file.value_or(kNobodys);
  owner = info.st_uid;
  NoteSourceMode(info.st_mode);
  main = file;
  if (opening == Opening::kWrite && !last_opened.is_made_here) {
    RealOf(file)->pMethods->xClose(RealOf(file));
    main = nullptr;
    return Refuse(SQLITE_CANTOPEN, "was replaced or removed while it was written",
                  "give each recording a file of its own with -o", ErrorId::kOutputReplaced);
  }
  reinterpret_cast<MainFile*>(file)->state = this;
  file->pMethods = &kMethods;
  return SQLITE_OK;
}

// Removes the journal of an appender that was killed before its first change. Returns false if the
// journal is not of that kind.
bool DatabaseVfs::State::RemoveUnbegunJournal() const {
  if (opening != Opening::kAppend) return false;
  const JournalFile file(journal);
  return file && IsTrusted(file.owner()) && file.IsUnbegun() && unlink(journal.c_str()) == 0;
}

int DatabaseVfs::State::OpenJournal(const char* file_name, sqlite3_file* file, int flags,
                                    int* out) {
  if (opening == Opening::kRead) return SQLITE_CANTOPEN;
  sqlite3_vfs* const real = RealVfs();
  const bool creates = (flags & SQLITE_OPEN_CREATE) != 0;
  if (creates) flags |= SQLITE_OPEN_EXCLUSIVE;
  last_opened = {};
  int code = real->xOpen(real, file_name, file, flags, out);
  if (code != SQLITE_OK && creates && last_opened.error_number == EEXIST &&
      RemoveUnbegunJournal()) {
    code = real->xOpen(real, file_name, file, flags, out);
  }
  if (code != SQLITE_OK) {
    if (!creates || last_opened.error_number != EEXIST) return code;
    return Refuse(code, "cannot be changed: '" + path + "-journal' exists",
                  "remove it, or choose another file");
  }
  if (!last_opened.file) {
    code = SQLITE_CANTOPEN;
  } else if (creates) {
    made = IdentityOf(*last_opened.file);
  } else if (opening == Opening::kWrite) {
    if (made != IdentityOf(*last_opened.file)) code = SQLITE_CANTOPEN;
  } else {
    const struct stat info = *last_opened.file;
    code = CheckJournal(info.st_uid, static_cast<uint64_t>(info.st_size),
                        [file](uint64_t offset, std::span<std::byte> bytes) {
                          return file->pMethods->xRead(
                                     file, bytes.data(), static_cast<int>(bytes.size()),
                                     static_cast<sqlite3_int64>(offset)) == SQLITE_OK;
                        });
  }
  if (code == SQLITE_OK) return SQLITE_OK;
  file->pMethods->xClose(file);
  file->pMethods = nullptr;
  return code;
}

// Replaces those of `bytes` that the unfinished commit changed by their previous values. `bytes`
// were read at `offset`.
int DatabaseVfs::State::PatchRead(std::span<std::byte> bytes, uint64_t offset) const {
  const uint64_t size = before->page_size, end = offset + bytes.size();
  for (uint64_t begin = offset / size * size; begin < end; begin += size) {
    if (begin / size >= before->page_count) break;
    const auto page = before->pages.find(static_cast<uint32_t>(begin / size + 1));
    if (page == before->pages.end()) continue;
    const uint64_t from = std::max(begin, offset), to = std::min(begin + size, end);
    if (!journal_file.Read(page->second + (from - begin),
                           bytes.subspan(from - offset, to - from))) {
      return SQLITE_IOERR_READ;
    }
  }
  return SQLITE_OK;
}

int DatabaseVfs::State::Open(sqlite3_vfs* vfs, const char* file_name, sqlite3_file* file, int flags,
                             int* out) {
  State& state = Of(vfs);
  file->pMethods = nullptr;
  if (!file_name) return SQLITE_CANTOPEN;  // SQLite wants a temporary file
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0 && state.database == file_name) {
    return state.OpenMain(file_name, file, flags, out);
  }
  if ((flags & SQLITE_OPEN_MAIN_JOURNAL) != 0 && state.journal == file_name) {
    return state.OpenJournal(file_name, file, flags, out);
  }
  return SQLITE_CANTOPEN;
}

int DatabaseVfs::State::Delete(sqlite3_vfs* vfs, const char* file_name, int sync) {
  State& state = Of(vfs);
  if (state.opening == Opening::kRead || state.journal != file_name) return SQLITE_IOERR_DELETE;
  if (state.opening == Opening::kWrite && state.made != gprofx::IdentityOf(state.journal)) {
    return SQLITE_IOERR_DELETE_NOENT;
  }
  state.made.reset();
  return RealVfs()->xDelete(RealVfs(), file_name, sync);
}

int DatabaseVfs::State::Access(sqlite3_vfs* vfs, const char* file_name, int, int* out) {
  State& state = Of(vfs);
  *out = 0;
  if (state.journal == file_name) return state.FindJournal(out);
  // There is no write-ahead log. For any other file, the result must not reveal whether it exists.
  return state.database + "-wal" == file_name ? SQLITE_OK : SQLITE_IOERR_ACCESS;
}

int DatabaseVfs::State::FullPathname(sqlite3_vfs* vfs, const char*, int size, char* out) {
  const std::string& database = Of(vfs).database;
  if (database.size() >= static_cast<size_t>(size)) return SQLITE_CANTOPEN;
  memcpy(out, database.c_str(), database.size() + 1);
  return SQLITE_OK;
}

int DatabaseVfs::State::Close(sqlite3_file* file) {
  State& state = Of(file);
  const int code = RealOf(file)->pMethods->xClose(RealOf(file));
  state.main = nullptr;
  state.before.reset();
  state.journal_file = {};
  return code;
}

int DatabaseVfs::State::Read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  const State& state = Of(file);
  const int code = RealOf(file)->pMethods->xRead(RealOf(file), bytes, size, offset);
  if (!state.before || (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)) return code;
  const int patched = state.PatchRead({static_cast<std::byte*>(bytes), static_cast<size_t>(size)},
                                      static_cast<uint64_t>(offset));
  return patched == SQLITE_OK ? code : patched;
}

int DatabaseVfs::State::Write(sqlite3_file* file, const void* bytes, int size,
                              sqlite3_int64 offset) {
  if (Of(file).opening == Opening::kRead) return SQLITE_READONLY;
  return RealOf(file)->pMethods->xWrite(RealOf(file), bytes, size, offset);
}

int DatabaseVfs::State::Truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (Of(file).opening == Opening::kRead) return SQLITE_READONLY;
  return RealOf(file)->pMethods->xTruncate(RealOf(file), size);
}

int DatabaseVfs::State::FileSize(sqlite3_file* file, sqlite3_int64* size) {
  const State& state = Of(file);
  const int code = RealOf(file)->pMethods->xFileSize(RealOf(file), size);
  if (code == SQLITE_OK && state.before) {
    *size = std::min<sqlite3_int64>(
        *size, sqlite3_int64{state.before->page_size} * state.before->page_count);
  }
  return code;
}

int DatabaseVfs::State::FileControl(sqlite3_file* file, int what, void* argument) {
  if (what == SQLITE_FCNTL_MMAP_SIZE) return SQLITE_NOTFOUND;
  return RealOf(file)->pMethods->xFileControl(RealOf(file), what, argument);
}

// Version 1 of the interface has no shared memory and no mapped files. Without shared memory, there
// is no write-ahead log.
const sqlite3_io_methods DatabaseVfs::State::kMethods = {
    1,
    &Close,
    &Read,
    &Write,
    &Truncate,
    [](sqlite3_file* file, int flags) {
      return RealOf(file)->pMethods->xSync(RealOf(file), flags);
    },
    &FileSize,
    [](sqlite3_file* file, int level) {
      return RealOf(file)->pMethods->xLock(RealOf(file), level);
    },
    [](sqlite3_file* file, int level) {
      return RealOf(file)->pMethods->xUnlock(RealOf(file), level);
    },
    [](sqlite3_file* file, int* out) {
      return RealOf(file)->pMethods->xCheckReservedLock(RealOf(file), out);
    },
    &FileControl,
    [](sqlite3_file* file) { return RealOf(file)->pMethods->xSectorSize(RealOf(file)); },
    [](sqlite3_file* file) { return RealOf(file)->pMethods->xDeviceCharacteristics(RealOf(file)); },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

DatabaseVfs::DatabaseVfs(const std::string& path, Opening opening)
    : state_(std::make_unique<State>()) {
  static std::atomic<uint64_t> count = 0;
  State& state = *state_;
  state.opening = opening;
  state.path = path;
  state.name = "gprofx-" + std::to_string(++count);
  sqlite3_vfs* const real = RealVfs();
  if (!real) return;
  // If this process created the file, it is not a link. For other files, resolve links, because the
  // journal is next to the file that the link points to.
  state.database = AbsolutePath(path);
  std::string full(static_cast<size_t>(real->mxPathname) + 1, '\0');
  if (opening != Opening::kWrite && state.database.size() < full.size() &&
      (real->xFullPathname(real, state.database.c_str(), static_cast<int>(full.size()),
                           full.data()) &
       0xff) == SQLITE_OK) {
    state.database = full.c_str();
  }
  state.journal = state.database + "-journal";
  sqlite3_vfs& vfs = state.vfs;
  vfs.iVersion = 1;
  vfs.szOsFile = static_cast<int>(sizeof(MainFile)) + real->szOsFile;
  vfs.mxPathname = real->mxPathname;
  vfs.zName = state.name.c_str();
  vfs.pAppData = &state;
  vfs.xOpen = &State::Open;
  vfs.xDelete = &State::Delete;
  vfs.xAccess = &State::Access;
  vfs.xFullPathname = &State::FullPathname;
  vfs.xDlOpen = [](sqlite3_vfs*, const char*) -> void* { return nullptr; };
  vfs.xDlError = [](sqlite3_vfs*, int size, char* out) {
    if (size > 0) *out = 0;
  };
  vfs.xRandomness = [](sqlite3_vfs*, int size, char* out) {
    return RealVfs()->xRandomness(RealVfs(), size, out);
  };
  vfs.xSleep = [](sqlite3_vfs*, int microseconds) {
    return RealVfs()->xSleep(RealVfs(), microseconds);
  };
  vfs.xCurrentTime = [](sqlite3_vfs*, double* now) {
    return RealVfs()->xCurrentTime(RealVfs(), now);
  };
  vfs.xGetLastError = [](sqlite3_vfs*, int size, char* out) {
    return RealVfs()->xGetLastError(RealVfs(), size, out);
  };
}

DatabaseVfs::~DatabaseVfs() = default;

int DatabaseVfs::Open(sqlite3** db) {
  *db = nullptr;
  // Register the VFS only while the database is being opened. No other connection and no ATTACH can
  // then use it.
  if (!RealVfs() || sqlite3_vfs_register(&state_->vfs, 0) != SQLITE_OK) return SQLITE_ERROR;
  const int access =
      state_->opening == Opening::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  // The path begins with a slash, so it cannot be a URI, which could choose another VFS.
  const int code =
      sqlite3_open_v2(state_->database.c_str(), db,
                      access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, state_->name.c_str());
  sqlite3_vfs_unregister(&state_->vfs);
  if (code == SQLITE_OK) {
    sqlite3_limit(*db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_exec(*db, "PRAGMA temp_store=MEMORY", nullptr, nullptr, nullptr);
  }
  return code;
}

const std::optional<Error>& DatabaseVfs::refusal() const { return state_->refusal; }

bool DatabaseVfs::HasJournal() const {
  return state_->made && *state_->made == gprofx::IdentityOf(state_->journal);
}

}  // namespace gprofx::sqlite
