// Which files modules without a build-id were mapped from. Their names are those of the file that
// lies under the path at the end of the recording, which may be another one by then: a newer build,
// or the same path in another mount namespace. A build-id tells by itself.
//
// One thread. A look at a file may wait for whoever serves it: not for those of other users.
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
// As the process sees the path; where it has ended, as we do.
std::optional<FileState> StateOfFileIn(int64_t pid, const std::string& path);

// What is appended to the path of a file that is not the one that ran; as in /proc/PID/maps.
constexpr const char* kReplaced = " (deleted)";

class ModuleFiles {
 public:
  // False: the module was mapped from another file before.
  bool Note(ModuleId module, const FileState& file) {
    return files_.emplace(module.value, file).first->second == file;
  }
  // Before names are asked for: the paths that lead to another file by now.
  void MarkReplaced(Profile& profile) const;

 private:
  std::map<uint32_t, FileState> files_;
};

}  // namespace gprofx
