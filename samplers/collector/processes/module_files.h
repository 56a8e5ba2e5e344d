// Records from which files the modules without a build-id were mapped. The names in such a module
// are read at the end of the recording, from the file at the same path. By then that may be another
// file: a newer build, or the same path in another mount namespace. Modules with a build-id do not
// need this.
//
// One thread. On a file system that a program serves, checking a file may block until that program
// answers. Files of other users' processes are therefore not checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/model/profile.h"

namespace gprofx {

struct FileState {
  uint64_t device = 0, inode = 0;
  int64_t size = 0, changed_ns = 0;
  bool operator==(const FileState&) const = default;
};
std::optional<FileState> StateOfFile(const std::string& path);
// Returns the state of the file at `path` as process `pid` sees it. If the process has ended, uses
// the path as we see it. Returns none if the file cannot be read.
std::optional<FileState> StateOfFileIn(int64_t pid, const std::string& path);

// Appended to the path if the file there is not the one that ran, as in /proc/PID/maps.
constexpr const char* kReplaced = " (deleted)";

class ModuleFiles {
 public:
  // Records from which file a module was mapped. Returns false if the module was mapped from
  // another file before.
  bool Note(ModuleId module, const FileState& file) {
    return files_.emplace(module.value, file).first->second == file;
  }
  // Appends kReplaced to the paths at which there is another file by now. Called before names are
  // looked up.
  void MarkReplaced(Profile& profile) const;

 private:
  std::map<uint32_t, FileState> files_;
};

}  // namespace gprofx
