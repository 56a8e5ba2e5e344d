// gprof-x doctor --measure-device FILE: measures what this machine's GPU sustains and writes it as
// a device of gprof-x forecast. Takes seconds and uses the GPU; CUDA_VISIBLE_DEVICES selects it.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// Measures, writes FILE, and returns the message for the user.
Result<std::string> MeasureDevice(const std::string& file);

// Returns the possible paths of cuBLAS. `homes`: folders of CUDA toolkits; `packages`: of Python
// packages.
std::vector<std::string> CublasCandidates(const std::vector<std::string>& packages,
                                          const std::vector<std::string>& homes);

}  // namespace gprofx
