// A folder with a few small files for one process to read and write, which is there for a moment:
// in /tmp of that process's own root, whatever mount namespace or chroot it lives in.
//
// The process may own its mount namespace and change any name at any time: mount over it, rename
// it, put a link in its place. So each name is resolved with the file rights of the process's own
// user (target_rights.h), and no owner is ever changed: whatever a name leads to, nothing happens
// to it that the user could not do himself. The content of a file is read and changed through the
// descriptor that created it. A place in which a third user could exchange the folder is passed
// over. Removed with what was put into it by the destructor. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/unique_fd.h"
#include "samplers/attach/process_handle.h"
#include "samplers/attach/target_rights.h"

namespace gprofx::attach {

class TargetFolder {
 public:
  // Null: none can be made that the process can surely read.
  static std::unique_ptr<TargetFolder> Make(const ProcessHandle& process);
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
  TargetFolder(UniqueFd place, std::string place_path, FileRights rights);
  bool MakeFolder();
  int Create(const char* name);
  int FileOf(std::string_view name) const;

  const UniqueFd place_;  // where the folder is made
  const std::string place_path_;
  const FileRights rights_;
  std::string name_;
  UniqueFd folder_;
  std::vector<std::pair<std::string, UniqueFd>> files_;  // since they were created
};

// Is the file of this absolute path the same one for the process, with its own root and rights?
bool SeesSameFile(const ProcessHandle& process, const std::string& path);

}  // namespace gprofx::attach
