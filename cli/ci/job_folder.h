// The folder that a job writes: base/01.gprofx, head/01.gprofx and so on, the same below warm-up/
// and confirm/, the output of the programs beside each as .log, verdict.json and verdict.txt.
//
// Blocking; one thread. Removes only files that a job writes.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

class JobFolder {
 public:
  // Creates the folder and its parents if missing. A folder with files of another job is refused
  // unless `force`, which removes them. Always refused: symbolic links in place of the inner
  // folders, and a side of `sides` ("" = the current folder) that is or lies in one of them.
  static Result<JobFolder> Make(const std::string& path, bool force,
                                const std::vector<std::string>& sides = {});

  const std::string& path() const { return path_; }  // absolute

  // Returns the path without extension for a name such as "base/01", and creates its folder.
  Result<std::string> PathOf(const std::string& name) const;

  // Writes the whole file or nothing.
  Status Write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace gprofx
