// What changed in a benchmark, from made-up recordings.
#include <catch2/catch.hpp>

#include "cli/ci/per_test/blame.h"

namespace gprofx {
namespace {

compare::Run RunOf(double f_ns) {
  compare::Run run;
  run.total_ns = 1e6 + f_ns;
  run.functions["f"].name = "f";
  run.functions["f"].ns = f_ns;
  run.functions["f"].total_ns = f_ns;
  return run;
}

BenchmarkResult Explained(std::vector<compare::Run> base, std::vector<compare::Run> head) {
  const std::vector<double> base_ns(base.size(), 100), head_ns(head.size(), 150);
  BenchmarkResult out;
  out.verdict = BenchmarkVerdict::kSlower;
  out.base_ns = 100;
  out.head_ns = 150;
  ExplainChange({base, head, base_ns, head_ns, false, 0}, {}, true, out);
  return out;
}

}  // namespace

TEST_CASE("a benchmark: times are per call only if those of all runs are") {
  const std::vector<compare::Run> base(5, RunOf(1e6)), head(5, RunOf(2e6));
  const BenchmarkResult all = Explained(base, head);
  REQUIRE(all.diff);
  CHECK(all.diff->unit == compare::Unit::kCall);
  std::vector<compare::Run> without_samples = head;
  without_samples[2] = {};
  const BenchmarkResult some = Explained(base, without_samples);
  CHECK_FALSE(some.diff);
  CHECK(some.blamed.empty());
}

}  // namespace gprofx
