#include "formats/sqlite/output_claim.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <string_view>
#include <utility>

#include "core/base/file_io.h"

namespace gprofx {
namespace {

// SQLite locks about 500 bytes from 0x40000000 on, see https://www.sqlite.org/fileformat.html.
constexpr off_t kLockByte = 0x40001000;
// Length of the longest suffix that SQLite or this file appends to a name.
constexpr size_t kLongestSuffix = sizeof("-journal") + 16;

enum class Locked { kYes, kByAnother, kNotHere };

Locked Lock(int file) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = kLockByte;
  range.l_len = 1;
  if (fcntl(file, F_OFD_SETLK, &range) == 0) return Locked::kYes;
  return errno == EAGAIN || errno == EACCES ? Locked::kByAnother : Locked::kNotHere;
}

Error InUse(const std::string& path) {
  return {ErrorId::kOutputReplaced, "another recording writes '" + path + "'",
          "give each recording its own file, for example -o '" + path + ".%p'"};
}

size_t NameLength(const std::string& path) {
  const size_t slash = path.rfind('/');
  return path.size() - (slash == std::string::npos ? 0 : slash + 1);
}

// Renames a file to `to` if no file has that name. Returns false if the name is taken or on an
// error. Uses renameat2 if the file system has no hard links.
bool MoveToFreeName(const std::string& from, const std::string& to) {
  if (link(from.c_str(), to.c_str()) == 0) {
    unlink(from.c_str());
    return true;
  }
  if (errno == EEXIST) return false;
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return access(to.c_str(), F_OK) != 0 && rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

Result<std::string> TemporaryBeside(const std::string& path) {
  for (int i = 0; i < 100; ++i) {
    std::string name = path + (i == 0 ? "" : "." + std::to_string(i)) + ".tmp";
    if (IsProfile(name)) unlink(name.c_str());
    const int error_number = TryCreatePrivateFile(name);
    if (error_number == 0) return name;
    if (error_number != EEXIST) return WriteError(path, error_number, "");
  }
  return WriteError(path, EEXIST, "");
}

Result<OutputClaim> OutputClaim::Take(const std::string& path, Existing existing, Make make,
                                      ClaimTrouble& trouble) {
  trouble = ClaimTrouble::kRefused;
  if (path.empty()) {
    return Error{ErrorId::kBadOperands, "the name of the output file is empty",
                 "give one with -o FILE"};
  }
  if (NameLength(path) + kLongestSuffix > NAME_MAX) return WriteError(path, ENAMETOOLONG, "");
  OutputClaim claim;
  claim.path_ = path;
  // Try again if another recording takes or releases the name between two of the checks.
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (Status claimed = claim.Claim(existing, trouble); !claimed) return claimed.error();
    if (!claim.lock_) {
      if (Status prepared = claim.Prepare(make); !prepared) return prepared.error();
    }
    if (claim.old_) return claim;
    bool taken = false;
    if (Status free = claim.TakeFreeName(taken); !free) return free.error();
    if (taken) return claim;
  }
  return WriteError(path, EEXIST, "");
}

// Creates a new file under a temporary name, fills it and locks it.
Status OutputClaim::Prepare(Make make) {
  const std::string name = path_ + "." + std::to_string(getpid()) + ".tmp";
  if (IsProfile(name)) unlink(name.c_str());  // left by a killed process with the same pid
  if (const int error_number = TryCreatePrivateFile(name); error_number != 0) {
    return WriteError(error_number == EEXIST ? name : path_, error_number, "");
  }
  waiting_ = name;
  if (Status made = make(name, path_); !made) return made;
  lock_ = OpenMadeFile(name);
  if (!lock_) return WriteError(path_, errno, "");
  Lock(lock_.get());
  identity_ = IdentityOf(name);
  return Ok();
}

// Claims the name: checks whether the file at path_ may be replaced, and locks it if it exists.
Status OutputClaim::Claim(Existing existing, ClaimTrouble& trouble) {
  bool exists = false;
  const bool profiles_only = existing != Existing::kForce;
  const bool must_be_new = existing == Existing::kMustBeNew;
  if (Status status = CheckReplaceable(path_, profiles_only && !must_be_new, exists); !status) {
    if (exists && must_be_new) trouble = ClaimTrouble::kExists;
    return status;
  }
  if (!exists) return Ok();
  if (must_be_new) {
    trouble = ClaimTrouble::kExists;
    return WriteError(path_, EEXIST, "");
  }
  bool old_exists = false;
  const std::string old = path_ + ".old";
  if (Status status = CheckReplaceable(old, profiles_only, old_exists); !status) return status;
  return LockExisting(trouble);
}

Status OutputClaim::LockExisting(ClaimTrouble& trouble) {
  // A file that may not be written is opened for reading: no recording can be writing it.
  old_ = OpenRegularFile(AT_FDCWD, path_, O_NOFOLLOW, O_RDWR);
  if (!old_) old_ = OpenRegularFile(AT_FDCWD, path_, O_NOFOLLOW);
  if (!old_) return errno == ENOENT ? Ok() : Status(WriteError(path_, errno, ""));
  if (Lock(old_.get()) == Locked::kByAnother) {
    trouble = ClaimTrouble::kInUse;
    return InUse(path_);
  }
  struct stat info;
  const FileIdentity now = IdentityOf(path_);
  if (fstat(old_.get(), &info) != 0 || now.device != info.st_dev || now.inode != info.st_ino) {
    old_.Reset();  // another process has just replaced the file
  }
  return Ok();
}

Status OutputClaim::TakeFreeName(bool& taken) {
  if (Status removed = RemoveStaleJournal(path_); !removed) return removed;
  taken = MoveToFreeName(waiting_, path_);
  if (!taken && errno != EEXIST && access(path_.c_str(), F_OK) != 0) {
    return WriteError(path_, errno, "");
  }
  if (taken) waiting_.clear();
  return Ok();
}

Status OutputClaim::Publish() {
  if (!waiting_.empty()) {
    if (Status kept = KeepAsOld(path_); !kept) return kept;
    if (rename(waiting_.c_str(), path_.c_str()) != 0) return WriteError(path_, errno, "");
    waiting_.clear();
  }
  published_ = true;
  old_.Reset();
  return Ok();
}

void OutputClaim::Release() {
  if (!waiting_.empty()) unlink(waiting_.c_str());
  if (waiting_.empty() && !published_ && lock_ && IdentityOf(path_) == identity_) {
    unlink(path_.c_str());
  }
  lock_.Reset();
  old_.Reset();
}

OutputClaim::OutputClaim(OutputClaim&& other) noexcept { *this = std::move(other); }

OutputClaim& OutputClaim::operator=(OutputClaim&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(waiting_, other.waiting_);
  std::swap(lock_, other.lock_);
  std::swap(old_, other.old_);
  std::swap(published_, other.published_);
  std::swap(identity_, other.identity_);
  return *this;
}

OutputClaim::~OutputClaim() { Release(); }

}  // namespace gprofx
