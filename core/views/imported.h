// What a profile that was imported says of itself: whose trace it was and what of it is not there.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

struct LeftOut {
  std::string what;  // in words: "flow arrows"
  int64_t count = 0;
};

struct Imported {
  std::string from;      // "" = it was recorded by gprof-x
  int64_t unlinked = 0;  // work on GPUs that was launched before the trace began
  int64_t cut_ns = 0;    // of spans that outlasted those that they began in
  int64_t markers = 0;
  std::vector<LeftOut> left_out;  // largest first
};

Imported DescribeImport(const Profile& profile);

}  // namespace gprofx
