// The folder that a job writes: base/01.gprofx, head/01.gprofx and so on, those of warm-up/ and
// confirm/, the programs' output beside each as .log, verdict.json and verdict.txt.
//
// Blocking; one thread. Only what a job writes is ever removed.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

class JobFolder {
 public:
  // Makes it, and those above it, where it is not there. One that holds another job's files is
  // refused unless `force`, which removes them. Refused in any case: links in the place of the
  // folders inside, and that one of `sides` ("" = the current folder) is or lies in one of them.
  static Result<JobFolder> Make(const std::string& path, bool force,
                                const std::vector<std::string>& sides = {});

  const std::string& path() const { return path_; }  // absolute

  // "base/01" -> its path without ending; the folder is there then.
  Result<std::string> PathOf(const std::string& name) const;

  // Whole or not at all.
  Status Write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace gprofx
