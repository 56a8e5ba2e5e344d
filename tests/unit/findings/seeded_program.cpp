#include "seeded_program.h"

#include <catch2/catch.hpp>
#include <numeric>

namespace gprofx::testing {

Run Make(const Program& program, bool bad, bool wall) {
  ProgramMaker make;
  make.wall = wall;
  for (int i = 0; i < kSteps; ++i) {
    make.Step();
    program(make, bad);
  }
  Run run;
  run.report = make.Find();
  run.step_ns = make.step_ns();
  return run;
}

int64_t Sum(const FindingReport& report) {
  return std::accumulate(report.rows.begin(), report.rows.end(), int64_t{0},
                         [](int64_t sum, const Inefficiency& row) { return sum + row.saving_ns; });
}

void Check(const Program& program, const char* rule, uint32_t line, bool wall) {
  const Run bad = Make(program, true, wall), good = Make(program, false, wall);
  INFO(rule << ": " << bad.step_ns << " ns a step, repaired " << good.step_ns);
  const Inefficiency* row = FindRow(bad.report, rule);
  for (const Inefficiency& each : bad.report.rows)
    UNSCOPED_INFO(each.rule->id << " " << each.line << " " << each.saving_ns);
  REQUIRE(row != nullptr);
  CHECK(row == &bad.report.rows[0]);
  CHECK(row->line == line);
  CHECK(static_cast<double>(row->saving_ns) == Approx(bad.step_ns - good.step_ns).epsilon(0.2));
  CHECK_FALSE(row->summary.empty());
  CHECK_FALSE(row->evidence.empty());
  CHECK(Sum(bad.report) <= static_cast<int64_t>(bad.step_ns));
  CHECK(FindRow(good.report, rule) == nullptr);
}

void Busy(ProgramMaker& make, int64_t ns) {
  for (int i = 0; i < 4; ++i) {
    make.Host(10'000, make.Line(1));
    make.Kernel(make.Line(1), kGemm, ns / 4);
  }
}

}  // namespace gprofx::testing
