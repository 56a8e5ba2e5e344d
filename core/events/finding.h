// Defines a finding, the result of an analysis of a profile. It is a row of the table `finding`.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/ids.h"

namespace gprofx {

struct Finding {
  std::string rule;       // stable name of the rule that matched
  NodeId node;            // where it was found; 0 = the whole run
  int64_t saving_ns = 0;  // estimate; an upper bound if the program uses no collectives
  std::string evidence;   // observed facts that support it
  bool operator==(const Finding&) const = default;
};

}  // namespace gprofx
