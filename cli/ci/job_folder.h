// The folder that a job writes. It contains the profiles base/01.gprofx, head/01.gprofx and so on,
// and the same names below warm-up/ and confirm/. A job of benchmarks has them below tests/0001/
// and so on, with the times that the harness measured in .json files. The output of a recorded
// program is in a .log file beside its profile. The result is in verdict.json and verdict.txt.
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
  // unless `force`, which removes them. Symbolic links in place of the inner folders (base/, head/,
  // ...) are always refused. `sides` are the working directories of the compared versions ("" = the
  // current folder); they must not be or lie in an inner folder.
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
