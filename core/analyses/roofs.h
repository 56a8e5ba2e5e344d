// Gives the lines of a roofline plot: the peaks of the profile's device for the number types of the
// profile's work, from the data sheet. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

struct Roof {
  std::string type;       // "bf16"
  double flop_per_s = 0;  // dense, without sparsity
};

struct Roofs {
  std::vector<Roof> compute;  // one per number type; empty if unknown
  double bytes_per_s = 0;     // memory bandwidth
};

Roofs RoofsOf(const AnalysisContext& context);

}  // namespace gprofx::analyses
