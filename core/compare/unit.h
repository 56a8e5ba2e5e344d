// Chooses the unit in which times are compared: a step if both sides have the same kind of steps,
// otherwise a run.
//
// The unit is the step if all of these hold:
//   - Every run has at least three steps after its warm-up.
//   - The steps of all runs were found by the same evidence (StepSource).
//   - A step of one side cannot be several steps of the other. That is certain if the program marks
//     its steps. If steps were detected, it does not hold if one side has fewer steps that are
//     longer by about the same factor.
// Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/compare/run.h"

namespace gprofx::compare {

enum class Unit : uint8_t {
  kRun,
  kStep,
  kCall,  // a call of a benchmark (per_call.h); nothing in this file chooses or accepts it
};

struct UnitChoice {
  Unit unit = Unit::kRun;
  std::string why_not;  // "" if no run has steps, or if the unit is the step
};

UnitChoice ChooseUnit(std::span<const Run> base, std::span<const Run> head);

// The work of a run in the chosen unit.
struct Piece {
  const WorkDone* work = nullptr;
  double units = 1;    // number of units in `work`
  double unit_ns = 0;  // time of a step; 0 if the unit is the run
};
std::vector<Piece> PiecesOf(std::span<const Run> runs, Unit unit);

}  // namespace gprofx::compare
