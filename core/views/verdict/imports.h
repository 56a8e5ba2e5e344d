// Computes how much time a Python program spends in import statements. Imports belong to its
// start-up, but may also occur later, for example in a constructor. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/profile.h"

namespace gprofx {

struct Imports {
  int64_t ns = 0;          // time of the imports, in the unit of the metric, like library_ns
  FrameId line;            // the program's line whose import takes most time; 0 = none
  std::string library;     // library that this line imports; "" = a file of the program itself
  int64_t library_ns = 0;  // time of that import
};

// Sums the time of imports. An import within another one counts as part of the outer one.
Imports SumImports(const Profile& profile, MetricId metric);

}  // namespace gprofx
