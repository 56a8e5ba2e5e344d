// The folders whose profiles are served, and nothing else of the file system.
//
// A path counts by where it really is: symbolic links are followed first. Blocking; one thread.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// A regular file inside; `path` is absolute and without symbolic links.
struct ServedFile {
  std::string path;
  struct stat is {};

  // Another text where the file is another one, or was changed.
  std::string Identity() const;
  bool IsSameFile(const ServedFile& other) const;
};

class ServedFolders {
 public:
  static Result<ServedFolders> Open(const std::vector<std::string>& folders);

  const std::vector<std::string>& paths() const { return paths_; }

  // `name`: absolute, or relative to one of the folders. What lies outside gets the answer of what
  // is not there. A profile with an unfinished commit is refused: Identity() would not
  // notice a change of its journal.
  Result<ServedFile> Find(const std::string& name) const;
  // The same, and for a folder its profiles, by name.
  Result<std::vector<ServedFile>> FindAll(const std::string& name) const;

  struct Listing {
    std::vector<ServedFile> files;  // what was written last comes first
    size_t refused = 0;             // names that end with .gprofx and are no regular file inside
    bool is_whole = true;
  };
  Listing List() const;

 private:
  Result<std::string> RealPath(const std::string& name) const;
  bool Holds(const std::string& real) const;

  std::vector<std::string> paths_;
};

}  // namespace gprofx
