// gprof-x doctor --measure-device FILE: measures the rates that this machine's GPU sustains, and
// writes them to FILE as a device for gprof-x forecast. Takes seconds and uses the GPU;
// CUDA_VISIBLE_DEVICES selects which one.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// Measures the GPU and writes the result to `file`. Returns the message for the user.
Result<std::string> MeasureDevice(const std::string& file);

// Returns the possible paths of cuBLAS. `homes` are folders of CUDA toolkits, `packages` folders of
// Python packages.
std::vector<std::string> CublasCandidates(const std::vector<std::string>& packages,
                                          const std::vector<std::string>& homes);

}  // namespace gprofx
