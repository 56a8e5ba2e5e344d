// gprof-x diff --aa: how often this very job would be wrong, from the runs of one version.
//
// RenderAa is pure.
#pragma once

#include <string>
#include <vector>

#include "cli/diff/diff.h"
#include "core/compare/statistics/aa.h"

namespace gprofx {

struct AaAnswer {
  std::vector<compare::Obstacle> obstacles;  // why the runs cannot be compared with one another
  std::vector<compare::Aa> kinds;            // as pairs where they were asked for, then as groups
  std::vector<bool> paired;                  // of each kind
};

AaAnswer MeasureAaOf(const std::vector<compare::Run>& runs, const compare::Settings& settings);

std::string RenderAa(const AaAnswer& answer, const DiffOptions& options,
                     const DiffSurroundings& around);

// Reads the files, prints the answer. Exit status: 0 measured, 2 trouble, 3 where it cannot be
// told.
int RunAa(const DiffCommand& command);

}  // namespace gprofx
