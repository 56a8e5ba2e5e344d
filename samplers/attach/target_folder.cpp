#include "samplers/attach/target_folder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "core/base/file_io.h"

namespace gprofx::attach {
namespace {

constexpr const char* kPlaces[] = {"/tmp", "/dev/shm", "/var/tmp"};
constexpr mode_t kFolderMode = 0700, kFileMode = 0600;
constexpr size_t kMaxRead = 4096, kMaxStatus = 1 << 20;

// Opens a file with openat2(2), which needs Linux 5.6. Older kernels fail here, and no folder is
// made.
UniqueFd OpenAt(int folder, const char* path, int flags, uint64_t resolve, mode_t mode = 0) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = resolve | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(static_cast<int>(syscall(SYS_openat2, folder, path, &how, sizeof how)));
}

// Opens the name `name` in an open folder. Refuses symbolic links and mounts.
UniqueFd OpenBelow(int folder, const char* name, int flags, mode_t mode = 0) {
  return OpenAt(folder, name, flags | O_NOFOLLOW,
                RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV, mode);
}

// The root directory and the file rights of a process. The root is opened first. When the rights
// are read, the process is still in that root, or in one that it has moved to since.
struct RootAndRights {
  UniqueFd root;
  std::optional<FileRights> rights;
};
RootAndRights LookAt(const ProcessHandle& process) {
  RootAndRights found;
  found.root = process.Open("root", O_PATH | O_DIRECTORY);
  found.rights = RightsInStatus(process.Read("status", kMaxStatus).value_or(""));
  if (!found.root) found.rights.reset();
  return found;
}

// True if the folder `place` belongs to root or to the user. Any other owner could replace our
// folder in it. If everyone may write to it, it needs the sticky bit, which keeps users from
// renaming files of others.
bool IsTrusted(int place, uid_t user) {
  struct stat facts {};
  if (fstat(place, &facts) != 0 || !S_ISDIR(facts.st_mode)) return false;
  if (facts.st_uid != 0 && facts.st_uid != user) return false;
  return (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (facts.st_mode & S_ISVTX) != 0;
}

// True if the folder has the owner and the mode of the one that was just made. If a process swaps
// the folder, it can only give us another folder of its own user.
bool IsAsMade(int folder, uid_t user) {
  struct stat facts {};
  return fstat(folder, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == user &&
         (facts.st_mode & 0777) == kFolderMode;
}

std::string RandomName() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return "";
  char name[40];
  std::snprintf(name, sizeof name, "gprof-x-%016lx", static_cast<unsigned long>(number));
  return name;
}

}  // namespace

TargetFolder::TargetFolder(UniqueFd place, std::string place_path, FileRights rights)
    : place_(std::move(place)), place_path_(std::move(place_path)), rights_(std::move(rights)) {}

std::unique_ptr<TargetFolder> TargetFolder::Make(const ProcessHandle& process) {
  const auto [root, rights] = LookAt(process);
  if (!rights) return nullptr;
  for (const char* path : kPlaces) {
    UniqueFd place;
    {
      const TargetRights as_target(*rights);
      if (!as_target.are_taken()) return nullptr;
      place = OpenAt(root.get(), path, O_DIRECTORY | O_PATH, RESOLVE_IN_ROOT);
    }
    if (!place || !IsTrusted(place.get(), rights->user)) continue;
    std::unique_ptr<TargetFolder> folder(new TargetFolder(std::move(place), path, *rights));
    if (folder->MakeFolder()) return folder;
  }
  return nullptr;
}

bool TargetFolder::MakeFolder() {
  const std::string name = RandomName();
  const TargetRights as_target(rights_);
  if (!as_target.are_taken() || name.empty()) return false;
  if (mkdirat(place_.get(), name.c_str(), kFolderMode) != 0) return false;
  name_ = name;
  folder_ = OpenBelow(place_.get(), name.c_str(), O_RDONLY | O_DIRECTORY);
  return folder_ && IsAsMade(folder_.get(), rights_.user);
}

TargetFolder::~TargetFolder() {
  if (name_.empty()) return;
  const TargetRights as_target(rights_);
  if (!as_target.are_taken()) return;
  for (const auto& [file, descriptor] : files_) unlinkat(folder_.get(), file.c_str(), 0);
  unlinkat(place_.get(), name_.c_str(), AT_REMOVEDIR);
}

int TargetFolder::Create(const char* name) {
  const TargetRights as_target(rights_);
  if (!as_target.are_taken()) return -1;
  UniqueFd file = OpenBelow(folder_.get(), name, O_RDWR | O_CREAT | O_EXCL, kFileMode);
  if (!file) return -1;
  files_.emplace_back(name, std::move(file));
  return FileOf(name);
}

int TargetFolder::FileOf(std::string_view name) const {
  for (const auto& [file, descriptor] : files_) {
    if (file == name) return descriptor.get();
  }
  return -1;
}

bool TargetFolder::Put(const char* name, const std::string& text) {
  const int file = Create(name);
  return file >= 0 && WriteAll(file, text.data(), text.size());
}

bool TargetFolder::PutCopy(const char* name, const std::string& from) {
  const UniqueFd in = OpenToRead(from);
  const int out = Create(name);
  if (!in || out < 0) return false;
  std::vector<char> piece(1 << 16);
  while (const size_t got = ReadUpTo(in.get(), piece.data(), piece.size())) {
    if (!WriteAll(out, piece.data(), got)) return false;
  }
  return true;
}

std::string TargetFolder::Read(const char* name) const {
  char text[kMaxRead];
  const ssize_t got = pread(FileOf(name), text, sizeof text, 0);
  return {text, got > 0 ? static_cast<size_t>(got) : 0};
}

bool TargetFolder::Empty(const char* name) const { return ftruncate(FileOf(name), 0) == 0; }

std::string TargetFolder::PathOf(const char* name) const {
  return place_path_ + "/" + name_ + "/" + name;
}

bool SeesSameFile(const ProcessHandle& process, const std::string& path) {
  struct stat own {
  }, seen{};
  const auto [root, rights] = LookAt(process);
  if (!rights || stat(path.c_str(), &own) != 0) return false;
  UniqueFd file;
  {
    const TargetRights as_target(*rights);
    if (!as_target.are_taken()) return false;
    file = OpenAt(root.get(), path.c_str(), O_PATH, RESOLVE_IN_ROOT);
    // Follow links where the kernel has no openat2. That is harmless, because the file is neither
    // read nor written.
    const bool is_old = !file && (errno == ENOSYS || errno == EPERM);
    if (is_old) file.Reset(openat(root.get(), path.c_str() + 1, O_PATH | O_CLOEXEC));
  }
  return file && fstat(file.get(), &seen) == 0 && own.st_dev == seen.st_dev &&
         own.st_ino == seen.st_ino;
}

}  // namespace gprofx::attach
