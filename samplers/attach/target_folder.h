// Makes a temporary folder with a few small files that one process reads and writes. It is in /tmp
// of that process's root, whatever its mount namespace or chroot.
//
// The process may own its mount namespace. It can change any name at any time: mount over it,
// rename it or replace it by a link. So each name is resolved with the file rights of the process's
// own user (target_rights.h), and ownership is never changed. Whatever a name refers to, nothing
// happens to it that the user could not do. A file is read and changed through the descriptor that
// created it. Places where a third user could swap the folder are not used. The destructor removes
// the folder and the files that were put into it. One thread.
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
  // Makes the folder. Returns null if no folder can be made that the process is certainly able to
  // read.
  static std::unique_ptr<TargetFolder> Make(const ProcessHandle& process);
  ~TargetFolder();
  TargetFolder(const TargetFolder&) = delete;
  TargetFolder& operator=(const TargetFolder&) = delete;

  // Creates a file with the content `text` that belongs to the process's user. Returns false on
  // failure.
  bool Put(const char* name, const std::string& text);
  bool PutCopy(const char* name, const std::string& from);
  std::string Read(const char* name) const;
  bool Empty(const char* name) const;  // truncates the file; does not remove it
  // Returns the path of the file `name` as the process sees it.
  std::string PathOf(const char* name) const;

 private:
  TargetFolder(UniqueFd place, std::string place_path, FileRights rights);
  bool MakeFolder();
  int Create(const char* name);
  int FileOf(std::string_view name) const;

  const UniqueFd place_;  // the directory in which the folder is
  const std::string place_path_;
  const FileRights rights_;
  std::string name_;
  UniqueFd folder_;
  std::vector<std::pair<std::string, UniqueFd>> files_;  // kept open since their creation
};

// True if the process, with its own root and rights, finds the same file at the absolute path
// `path` as we do.
bool SeesSameFile(const ProcessHandle& process, const std::string& path);

}  // namespace gprofx::attach
