// Captures what a program prints while gprof-x top uses the screen: in the user's file, or in a
// nameless file whose end is shown if the program fails.
//
// The nameless file is bounded: the program appends, and the file is truncated once it exceeds
// kMax.
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

  // `path` "" = a nameless file.
  static Result<ProgramOutput> Open(const std::string& path);

  // Returns the descriptors for the program; -1 = inherit that of gprof-x:
  // - Standard input is empty if that of gprof-x is a terminal, because gprof-x reads its keys.
  // - Standard output goes to the file.
  // - Standard error goes to the file, too, if the file has a path, or if gprof-x draws a screen on
  //   the terminal that standard error is. Otherwise it is inherited.
  std::array<int, 3> Stdio(bool has_screen) const;
  void Trim() const;
  // Returns the last lines of the nameless file; "" if there is none.
  std::string LastLines(size_t count) const;

 private:
  bool is_named_ = false;
  UniqueFd file_, nothing_;
};

}  // namespace gprofx
