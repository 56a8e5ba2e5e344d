// What an imported profile says about itself: the tool that made the trace and the data that is
// missing. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

struct LeftOut {
  std::string what;  // in words, such as "flow arrows"
  int64_t count = 0;
};

struct Imported {
  std::string from;      // "" = recorded by gprof-x
  int64_t unlinked = 0;  // GPU work launched before the trace began
  int64_t guesses = 0;   // GPU work that another process or thread may have launched as well
  int64_t cut_ns = 0;    // total of spans cut because they outlasted their parent
  int64_t markers = 0;
  std::vector<LeftOut> left_out;  // largest first
};

Imported DescribeImport(const Profile& profile);

}  // namespace gprofx
