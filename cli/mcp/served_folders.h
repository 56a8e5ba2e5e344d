// The folders whose profiles are served; nothing else of the file system is accessible.
//
// Symbolic links in a path are resolved before it is checked. Blocking; one thread.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// A regular file in a served folder. `path` is absolute and without symbolic links.
struct ServedFile {
  std::string path;
  struct stat is {};

  // Returns a text that changes if the file is replaced or modified.
  std::string Identity() const;
  bool IsSameFile(const ServedFile& other) const;
};

class ServedFolders {
 public:
  static Result<ServedFolders> Open(const std::vector<std::string>& folders);

  const std::vector<std::string>& paths() const { return paths_; }

  // Returns the profile `name`, which is absolute, or relative to one of the folders. A file
  // outside the folders gets the same Error as a missing one. Also returns an Error for a profile
  // with an unfinished commit (one that has a journal), because Identity() would not detect a
  // change of its journal.
  Result<ServedFile> Find(const std::string& name) const;
  // Like Find; for a folder returns its profiles, by name.
  Result<std::vector<ServedFile>> FindAll(const std::string& name) const;

  struct Listing {
    std::vector<ServedFile> files;  // most recently written first
    size_t refused = 0;             // names ending in .gprofx that are not regular files inside
    bool is_whole = true;
  };
  Listing List() const;

 private:
  Result<std::string> RealPath(const std::string& name) const;
  bool Holds(const std::string& real) const;

  std::vector<std::string> paths_;
};

}  // namespace gprofx
