// gprof-x diff --aa: estimates from runs of a single version how often this job would report a
// false result. RenderAa() is pure.
#pragma once

#include <string>
#include <vector>

#include "cli/diff/diff.h"
#include "core/compare/statistics/aa.h"

namespace gprofx {

struct AaAnswer {
  std::vector<compare::Obstacle> obstacles;  // why the runs cannot be compared with each other
  // Results of comparing pairs (if requested), and then of comparing groups.
  std::vector<compare::Aa> kinds;
  // For each element of `kinds`: true if pairs were compared.
  std::vector<bool> paired;
};

AaAnswer MeasureAaOf(const std::vector<compare::Run>& runs, const compare::Settings& settings);

std::string RenderAa(const AaAnswer& answer, const DiffOptions& options,
                     const DiffSurroundings& around);

// Reads the files and prints the estimated rate of false results. Returns the exit status: 0, 2 on
// an error, 3 if the rate cannot be determined.
int RunAa(const DiffCommand& command);

}  // namespace gprofx
