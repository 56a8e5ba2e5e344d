// Finds profiles in the folders that are served. No other file is accessible. Symbolic links in a
// path are resolved before the path is checked. Blocking; one thread.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// A regular file in a served folder. `path` is absolute and has no symbolic links in it.
struct ServedFile {
  std::string path;
  struct stat is {};

  // Returns a text that changes when the file is replaced or modified.
  std::string Identity() const;
  bool IsSameFile(const ServedFile& other) const;
};

class ServedFolders {
 public:
  static Result<ServedFolders> Open(const std::vector<std::string>& folders);

  const std::vector<std::string>& paths() const { return paths_; }

  // Returns the profile `name`, which is an absolute path or one relative to a folder. The error is
  // the same whether a file is outside of the folders or does not exist. Fails if the profile has
  // an unfinished commit (a journal), because Identity() would not detect a change of the journal.
  Result<ServedFile> Find(const std::string& name) const;
  // Returns the profile `name` like Find(). If `name` is a folder, returns the profiles in it,
  // sorted by name.
  Result<std::vector<ServedFile>> FindAll(const std::string& name) const;

  struct Listing {
    std::vector<ServedFile> files;  // most recently written first
    // Number of names ending in .gprofx that do not belong to regular files inside of the folders.
    size_t refused = 0;
    bool is_whole = true;
  };
  Listing List() const;

 private:
  Result<std::string> RealPath(const std::string& name) const;
  bool Holds(const std::string& real) const;

  std::vector<std::string> paths_;
};

}  // namespace gprofx
