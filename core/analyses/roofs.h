// The lines of a roofline: the most that the device of a profile can do, by its data sheet, for the
// types of numbers that its products have. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

struct Roof {
  std::string type;       // "bf16"
  double flop_per_s = 0;  // without sparsity
};

struct Roofs {
  std::vector<Roof> compute;  // by type; empty where they are not known
  double bytes_per_s = 0;     // of the memory
};

Roofs RoofsOf(const AnalysisContext& context);

}  // namespace gprofx::analyses
