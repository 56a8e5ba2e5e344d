// Creates and lists folders for commands. Blocking; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// Creates the folder and its parents if missing. `way_out` becomes the remedy of the error.
Status MakeFolders(const std::string& path, const std::string& way_out);

// Like MakeFolders, but the destructor removes the created folders, if they are empty, unless Keep
// was called.
class NewFolders {
 public:
  NewFolders() = default;
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

  Status Make(const std::string& path, const std::string& way_out);
  void Keep() { made_.clear(); }

 private:
  std::vector<std::string> made_;  // outermost first
};

// Returns the sorted names in a folder, except those that begin with a dot; empty if there is no
// such folder. Returns an Error if the folder cannot be read.
Result<std::vector<std::string>> NamesIn(const std::string& path);

}  // namespace gprofx
