// What an analysis found in a profile: a row of the table `finding`.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/ids.h"

namespace gprofx {

struct Finding {
  std::string rule;       // what was looked for: a stable name
  NodeId node;            // where; 0 = the whole run
  int64_t saving_ns = 0;  // estimated, an upper bound where there are no collectives
  std::string evidence;   // what was seen
  bool operator==(const Finding&) const = default;
};

}  // namespace gprofx
