// A program as written and repaired: what is found in it, and what its repair saves.
#pragma once

#include <functional>

#include "program_maker.h"

namespace gprofx::testing {

using Program = std::function<void(ProgramMaker& make, bool bad)>;

constexpr int kSteps = 20;

struct Run {
  FindingReport report;
  double step_ns = 0;
};

Run Make(const Program& program, bool bad, bool wall = false);
int64_t Sum(const FindingReport& report);  // of all savings

// The rule is found first, at `line`, with what the repair saves, and not in the repaired program.
void Check(const Program& program, const char* rule, uint32_t line, bool wall = false);

// Work that keeps the GPU busy for `ns` in few launches.
void Busy(ProgramMaker& make, int64_t ns);

}  // namespace gprofx::testing
