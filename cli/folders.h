// Creates and lists folders for commands. Blocking; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// Creates the folder and its parents if they are missing. `way_out` is the remedy that an error
// names.
Status MakeFolders(const std::string& path, const std::string& way_out);

// Creates folders like MakeFolders(). Unless Keep() is called, the destructor removes those that it
// created, if they are empty.
class NewFolders {
 public:
  NewFolders() = default;
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

  Status Make(const std::string& path, const std::string& way_out);
  void Keep() { made_.clear(); }

 private:
  std::vector<std::string> made_;  // folders that were created, outermost first
};

// Returns the names in a folder, sorted, without those that begin with a dot. Returns none if the
// folder does not exist. Fails if it cannot be read.
Result<std::vector<std::string>> NamesIn(const std::string& path);

}  // namespace gprofx
