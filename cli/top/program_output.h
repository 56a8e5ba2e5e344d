// Captures what a program prints while gprof-x top uses the screen. The output goes to the user's
// file, or to a nameless file whose end is shown if the program fails.
//
// The size of the nameless file is limited: the program appends to it, and Trim() truncates it once
// it exceeds kMax.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace gprofx {

class ProgramOutput {
 public:
  static constexpr off_t kMax = 1 << 20;

  // Opens the file `path`. If `path` is "", opens a nameless file.
  static Result<ProgramOutput> Open(const std::string& path);

  // Returns the standard input, output and error to use for the program; -1 = those of gprof-x.
  //  - Standard input is empty if that of gprof-x is a terminal, because gprof-x reads its keys.
  //  - Standard output goes to the file.
  //  - Standard error goes to the file if the file has a path, or if gprof-x draws a screen on the
  //    same terminal. Otherwise it is inherited.
  std::array<int, 3> Stdio(bool has_screen) const;
  void Trim() const;
  // Returns the last lines of the nameless file. Returns "" if there is no such file.
  std::string LastLines(size_t count) const;

 private:
  bool is_named_ = false;
  UniqueFd file_, nothing_;
};

}  // namespace gprofx
