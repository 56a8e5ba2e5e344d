// The result of an analysis of a profile: a row of the table `finding`.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/ids.h"

namespace gprofx {

struct Finding {
  std::string rule;       // the rule that matched: a stable name
  NodeId node;            // where; 0 = the whole run
  int64_t saving_ns = 0;  // estimate; an upper bound where there are no collectives
  std::string evidence;   // the observed facts
  bool operator==(const Finding&) const = default;
};

}  // namespace gprofx
