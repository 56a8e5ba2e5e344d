// Records from which files the modules without a build-id were mapped. Their names are read at the
// end of the recording from the file at the same path. By then that may be another file: a newer
// build, or the same path in another mount namespace. Modules with a build-id do not need this.
//
// One thread. Checking a file of a file system that a program serves may block until that program
// answers, so it is not done for other users' processes.
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
// Returns the state of the file at the path as the process sees it. If the process has ended, uses
// the path as we see it. None if the file cannot be read.
std::optional<FileState> StateOfFileIn(int64_t pid, const std::string& path);

// Suffix of the path if the file there is not the one that ran, as in /proc/PID/maps.
constexpr const char* kReplaced = " (deleted)";

class ModuleFiles {
 public:
  // Records the file of a module. Returns false if the module was mapped from another file before.
  bool Note(ModuleId module, const FileState& file) {
    return files_.emplace(module.value, file).first->second == file;
  }
  // Appends kReplaced to paths at which there is another file by now. Call it before names are
  // looked up.
  void MarkReplaced(Profile& profile) const;

 private:
  std::map<uint32_t, FileState> files_;
};

}  // namespace gprofx
