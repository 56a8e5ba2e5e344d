#include "samplers/attach/target_folder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/fsuid.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "core/base/file_io.h"

namespace gprofx {
namespace {

constexpr const char* kPlaces[] = {"/tmp", "/dev/shm", "/var/tmp"};
constexpr mode_t kFolderMode = 0700, kFileMode = 0600;
constexpr size_t kMostRead = 4096;

UniqueFd OpenInRoot(int root, const char* path) {
  open_how how{};
  how.flags = O_DIRECTORY | O_CLOEXEC | O_PATH;
  how.resolve = RESOLVE_IN_ROOT;
  return UniqueFd(static_cast<int>(syscall(SYS_openat2, root, path, &how, sizeof how)));
}

// The numbers by which the kernel judges what the process may open.
template <class Owner>
std::optional<Owner> OwnerOf(pid_t pid) {
  const auto status = ReadSmallFile("/proc/" + std::to_string(pid) + "/status", 1 << 16);
  if (!status) return std::nullopt;
  const size_t uid = status->find("\nUid:"), gid = status->find("\nGid:");
  Owner owner;
  if (uid == std::string::npos || gid == std::string::npos ||
      std::sscanf(status->c_str() + uid, " Uid: %*u %*u %*u %u", &owner.user) != 1 ||
      std::sscanf(status->c_str() + gid, " Gid: %*u %*u %*u %u", &owner.group) != 1) {
    return std::nullopt;
  }
  return owner;
}

// Only root's, or the user's own: who else owned it could put another folder in the place of ours. In
// one that everybody may write in nobody may rename what is others'.
bool IsTrusted(int place, uid_t user) {
  struct stat facts {};
  if (fstat(place, &facts) != 0 || !S_ISDIR(facts.st_mode)) return false;
  if (facts.st_uid != 0 && facts.st_uid != user && facts.st_uid != geteuid()) return false;
  return (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (facts.st_mode & S_ISVTX) != 0;
}

// What was made a moment ago: ours still, and nobody has entered it.
bool IsAsMade(int folder) {
  struct stat facts {};
  return fstat(folder, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
         (facts.st_mode & 07777) == kFolderMode;
}

std::string RandomName() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return "";
  char name[40];
  std::snprintf(name, sizeof name, "gprof-x-%016lx", static_cast<unsigned long>(number));
  return name;
}

}  // namespace

TargetFolder::TargetFolder(UniqueFd place, std::string place_path, Owner owner)
    : place_(std::move(place)), place_path_(std::move(place_path)), owner_(owner) {}

std::unique_ptr<TargetFolder> TargetFolder::Make(pid_t pid) {
  const std::string root_path = "/proc/" + std::to_string(pid) + "/root";
  const UniqueFd root(open(root_path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto owner = OwnerOf<Owner>(pid);
  if (!root || !owner) return nullptr;
  for (const char* path : kPlaces) {
    UniqueFd place = OpenInRoot(root.get(), path);
    if (!place || !IsTrusted(place.get(), owner->user)) continue;
    std::unique_ptr<TargetFolder> folder(new TargetFolder(std::move(place), path, *owner));
    const std::string name = RandomName();
    if (name.empty() || mkdirat(folder->place_.get(), name.c_str(), kFolderMode) != 0) continue;
    folder->name_ = name;
    folder->folder_.Reset(openat(folder->place_.get(), name.c_str(),
                                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder->folder_ || !IsAsMade(folder->folder_.get())) continue;
    const bool ours = geteuid() == owner->user;
    if (!ours && fchown(folder->folder_.get(), owner->user, owner->group) != 0) continue;
    constexpr char kProbe[] = "probe";
    if (folder->Put(kProbe, "") && folder->OwnerCanRead(kProbe)) return folder;
  }
  return nullptr;
}

TargetFolder::~TargetFolder() {
  if (name_.empty()) return;
  if (folder_) {
    for (const std::string& file : files_) unlinkat(folder_.get(), file.c_str(), 0);
  }
  unlinkat(place_.get(), name_.c_str(), AT_REMOVEDIR);
}

// What the kernel says to us under the process's numbers it says to the process, but for rules of
// security modules.
bool TargetFolder::OwnerCanRead(const char* name) const {
  const auto user = static_cast<uid_t>(setfsuid(owner_.user));
  const auto group = static_cast<gid_t>(setfsgid(owner_.group));
  const std::string path = name_ + "/" + name;
  const bool can = UniqueFd(openat(place_.get(), path.c_str(), O_RDWR | O_CLOEXEC)).get() >= 0;
  setfsgid(group);
  setfsuid(user);
  return can;
}

UniqueFd TargetFolder::Create(const char* name) {
  UniqueFd file(openat(folder_.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       kFileMode));
  if (!file) return file;
  files_.emplace_back(name);
  if (geteuid() != owner_.user && fchown(file.get(), owner_.user, owner_.group) != 0) file.Reset();
  return file;
}

bool TargetFolder::Put(const char* name, const std::string& text) {
  const UniqueFd file = Create(name);
  return file && WriteAll(file.get(), text.data(), text.size());
}

bool TargetFolder::PutCopy(const char* name, const std::string& from) {
  const UniqueFd in = OpenToRead(from);
  const UniqueFd out = Create(name);
  if (!in || !out) return false;
  std::vector<char> piece(1 << 16);
  while (const size_t got = ReadUpTo(in.get(), piece.data(), piece.size())) {
    if (!WriteAll(out.get(), piece.data(), got)) return false;
  }
  return true;
}

std::string TargetFolder::Read(const char* name) const {
  const UniqueFd file(openat(folder_.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return file ? ReadText(file.get(), kMostRead).value_or("") : "";
}

bool TargetFolder::Empty(const char* name) const {
  const UniqueFd file(openat(folder_.get(), name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return file && ftruncate(file.get(), 0) == 0;
}

std::string TargetFolder::PathOf(const char* name) const {
  return place_path_ + "/" + name_ + "/" + name;
}

}  // namespace gprofx
