// What times are told per: a step, where both sides have the same kind of steps, else a run.
//
// Steps of two sides are the same thing where they were found by the same evidence and no step of
// one may stand for several of the other. That is taken for certain where the program marks its
// steps; where they were found, one side must not have as many times fewer steps as they are
// longer. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/compare/run.h"

namespace gprofx::compare {

enum class Unit : uint8_t { kRun, kStep };

struct UnitChoice {
  Unit unit = Unit::kRun;
  std::string why_not;  // "" = no run has steps, or all have
};

UnitChoice ChooseUnit(std::span<const Run> base, std::span<const Run> head);

// A run in the unit that was chosen.
struct Piece {
  const WorkDone* work = nullptr;
  double units = 1;    // that `work` is made of
  double unit_ns = 0;  // of a step; 0 = the unit is the run
};
std::vector<Piece> PiecesOf(std::span<const Run> runs, Unit unit);

}  // namespace gprofx::compare
