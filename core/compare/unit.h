// Chooses the unit of times: a step if both sides have the same kind of steps, else a run.
//
// Steps of two sides are of the same kind under two conditions. They were found by the same
// evidence (StepSource). And one step of one side cannot be several steps of the other. The second
// condition is met if the program marks its steps. If steps were detected, it is not met if one
// side has fewer steps that are longer by the same factor. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/compare/run.h"

namespace gprofx::compare {

enum class Unit : uint8_t { kRun, kStep };

struct UnitChoice {
  Unit unit = Unit::kRun;
  std::string why_not;  // "" = no run has steps, or the unit is the step
};

UnitChoice ChooseUnit(std::span<const Run> base, std::span<const Run> head);

// A run in the chosen unit.
struct Piece {
  const WorkDone* work = nullptr;
  double units = 1;    // number of units in `work`
  double unit_ns = 0;  // time of a step; 0 = the unit is the run
};
std::vector<Piece> PiecesOf(std::span<const Run> runs, Unit unit);

}  // namespace gprofx::compare
