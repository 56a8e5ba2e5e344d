// Folders as commands make and list them. Blocking; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// Makes it, and those above it, where it is not there. `way_out` is that of the error.
Status MakeFolders(const std::string& path, const std::string& way_out);

// The same; those that were made are removed again, if they are empty, unless Keep was called.
class NewFolders {
 public:
  NewFolders() = default;
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

  Status Make(const std::string& path, const std::string& way_out);
  void Keep() { made_.clear(); }

 private:
  std::vector<std::string> made_;  // outer ones first
};

// Sorted, without those that begin with a dot; none where it is not there. An Error says why it
// cannot be read.
Result<std::vector<std::string>> NamesIn(const std::string& path);

}  // namespace gprofx
