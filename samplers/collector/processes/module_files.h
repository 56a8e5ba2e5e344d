// Records which files modules without a build-id were mapped from. Their names are read at the end
// of the recording from the file at the same path, which may be another file by then: a newer
// build, or the same path in another mount namespace. Modules with a build-id do not need this.
//
// One thread. Checking a file may block until whoever serves it answers, so it is not done for
// files of other users.
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
// Returns the state of the file at the path as the process sees it, or, if the process has ended,
// as we see it. None: it cannot be read.
std::optional<FileState> StateOfFileIn(int64_t pid, const std::string& path);

// Appended to the path of a file that is not the one that ran; as in /proc/PID/maps.
constexpr const char* kReplaced = " (deleted)";

class ModuleFiles {
 public:
  // Records the file of a module. Returns false if the module was mapped from another file before.
  bool Note(ModuleId module, const FileState& file) {
    return files_.emplace(module.value, file).first->second == file;
  }
  // Marks paths that lead to another file by now. Call it before names are looked up.
  void MarkReplaced(Profile& profile) const;

 private:
  std::map<uint32_t, FileState> files_;
};

}  // namespace gprofx
