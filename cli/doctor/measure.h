// gprof-x doctor --measure-device FILE: what this machine's GPU sustains, as a device of gprof-x
// forecast. Takes seconds and uses the GPU; CUDA_VISIBLE_DEVICES chooses it.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// Measures, writes FILE, and returns what to tell.
Result<std::string> MeasureDevice(const std::string& file);

// Where cuBLAS may lie. `homes`: folders of CUDA toolkits; `packages`: of Python packages.
std::vector<std::string> CublasCandidates(const std::vector<std::string>& packages,
                                          const std::vector<std::string>& homes);

}  // namespace gprofx
