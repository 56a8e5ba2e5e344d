// What a Python program spends in import statements: its start-up, and modules that are imported
// late, such as inside of a constructor. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/profile.h"

namespace gprofx {

struct Imports {
  int64_t ns = 0;          // in the unit of the metric, as below
  FrameId line;            // the own line whose import takes most; 0 = none
  std::string library;     // what it imports; "" = a file of the program's own
  int64_t library_ns = 0;  // below that line
};

// An import inside of another one counts for the outer one.
Imports SumImports(const Profile& profile, MetricId metric);

}  // namespace gprofx
