// gprof-x diff --aa: estimates how often this job would report a false result, from runs of one
// version.
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
  std::vector<compare::Aa> kinds;            // compared as pairs if requested, then as groups
  std::vector<bool> paired;                  // whether the same element of `kinds` compared pairs
};

AaAnswer MeasureAaOf(const std::vector<compare::Run>& runs, const compare::Settings& settings);

std::string RenderAa(const AaAnswer& answer, const DiffOptions& options,
                     const DiffSurroundings& around);

// Reads the files and prints the estimated rate of false results. Returns 0 if it was estimated, 2
// on error, 3 if it cannot be determined.
int RunAa(const DiffCommand& command);

}  // namespace gprofx
