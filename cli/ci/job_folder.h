// The folder to which a job writes. It contains the profiles base/01.gprofx, head/01.gprofx and so
// on, and the same names below warm-up/ and confirm/. A job of benchmarks has them below
// tests/0001/ and so on, together with .json files of the times that the harness measured. The
// output of a recorded program is in a .log file next to its profile. The result is in verdict.json
// and verdict.txt.
//
// Blocking; one thread. Removes only files that a job writes.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

class JobFolder {
 public:
  // Creates the folder and its parents if they are missing. If the folder has files of another job,
  // fails, or removes them if `force` is set. Fails in any case if an inner folder (base/, head/,
  // ...) is a symbolic link. `sides` are the working directories of the compared versions ("" = the
  // current folder); they must not lie in an inner folder.
  static Result<JobFolder> Make(const std::string& path, bool force,
                                const std::vector<std::string>& sides = {});

  const std::string& path() const { return path_; }  // absolute

  // Creates the folder of the run `name`, such as "base/01". Returns the path of the run without
  // extension.
  Result<std::string> PathOf(const std::string& name) const;

  // Writes the file `name`, either completely or not at all.
  Status Write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace gprofx
