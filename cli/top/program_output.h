// What a program prints while gprof-x top has the screen: into a file of the user's, or into one
// without a name, of which the last part is shown where the program fails.
//
// The nameless file is bounded: the program appends, and what is longer than kMax is forgotten.
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

  // `path` "" = without a name.
  static Result<ProgramOutput> Open(const std::string& path);

  // Descriptors for the program in place of ours, -1 = ours. Its input is empty where ours is a
  // terminal, whose keys are ours; its errors stay where ours go, unless that is a terminal with a
  // screen on it, or there is a path.
  std::array<int, 3> Stdio(bool has_screen) const;
  void Trim() const;
  // The last lines in the nameless file; "" where there is none.
  std::string LastLines(size_t count) const;

 private:
  bool is_named_ = false;
  UniqueFd file_, nothing_;
};

}  // namespace gprofx
