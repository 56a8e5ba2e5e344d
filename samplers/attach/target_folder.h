// A folder with a few small files for one process to read and write, which is there for a moment:
// in /tmp of that process's own root, whatever mount namespace or chroot it lives in.
//
// Only its user and root may enter it. Nothing is followed out of the root, and all is done by
// descriptors; a /tmp of another user's, or one without the sticky bit, is passed over. Removed
// with what was put into it by the destructor. One thread; the folder's user is looked at with
// setfsuid(2), which is the thread's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"

namespace gprofx {

class TargetFolder {
 public:
  // Null: none can be made that the process can surely read.
  static std::unique_ptr<TargetFolder> Make(pid_t pid);
  ~TargetFolder();
  TargetFolder(const TargetFolder&) = delete;
  TargetFolder& operator=(const TargetFolder&) = delete;

  // Makes a file with this content, which belongs to the process's user; false: it cannot.
  bool Put(const char* name, const std::string& text);
  bool PutCopy(const char* name, const std::string& from);
  std::string Read(const char* name) const;
  bool Empty(const char* name) const;  // of what is in it, not away
  // As the process names it.
  std::string PathOf(const char* name) const;

 private:
  struct Owner {
    uid_t user = 0;
    gid_t group = 0;
  };
  TargetFolder(UniqueFd place, std::string place_path, Owner owner);
  UniqueFd Create(const char* name);
  bool OwnerCanRead(const char* name) const;

  const UniqueFd place_;  // where the folder is made
  const std::string place_path_;
  const Owner owner_;
  std::string name_;
  UniqueFd folder_;
  std::vector<std::string> files_;
};

}  // namespace gprofx
