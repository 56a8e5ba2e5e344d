// Says from which tool's trace a profile was imported, and which data is missing. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

struct LeftOut {
  std::string what;  // what was left out, such as "flow arrows"
  int64_t count = 0;
};

struct Imported {
  std::string from;      // "" = recorded by gprof-x
  int64_t unlinked = 0;  // operations launched before the trace began
  // Operations whose launch was guessed: another process or thread may have launched them.
  int64_t guesses = 0;
  int64_t cut_ns = 0;  // total time cut from spans that lasted longer than their parent
  int64_t markers = 0;
  std::vector<LeftOut> left_out;  // largest first
};

Imported DescribeImport(const Profile& profile);

}  // namespace gprofx
