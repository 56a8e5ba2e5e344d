// Declares the table of rules with their detectors. Used inside core/findings only.
#pragma once

#include <span>

#include "core/findings/detectors.h"

namespace gprofx::findings {

struct DetectorRow {
  FindingRule rule;
  Candidates (*find)(const Scene& scene);
};

// Returns the rules and their detectors, in the order in which findings are removed.
std::span<const DetectorRow> DetectorRows();

}  // namespace gprofx::findings
