// Runs made by hand: functions with noise of their own and of the machine, and counts.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare::testing {

inline constexpr double kSecond = 1e9;

struct Work {
  std::map<std::string, double> functions;  // name -> seconds
  int64_t launches = 100;
};

// `noise`: of each function in each run; `machine`: of all of them.
inline Run MakeRun(const Work& work, std::mt19937_64& random, double machine = 0) {
  std::normal_distribution<double> normal;
  Run run;
  run.metric = "cpu";
  run.machine = {{"GPUs", "H100"}, {"host", "runner"}};
  run.workload = {{"command", "train.py"}};
  for (const auto& [name, seconds] : work.functions) {
    Part part;
    part.kind = FrameKind::kPython;
    part.name = name;
    part.file = "train.py";
    part.ns = seconds * kSecond * std::exp(machine + 0.01 * normal(random));
    part.samples = std::round(part.ns / 1e6);
    run.total_ns += part.ns;
    run.functions[name] = part;
  }
  run.measured_ns = run.accounted_ns = run.total_ns;
  run.counts = {{"launches: gemm [8x1x1, 128x1x1]", work.launches}, {"threads", 4}};
  return run;
}

inline std::map<std::string, double> Usual() {
  std::map<std::string, double> functions;
  for (int i = 0; i < 30; ++i) functions["f" + std::to_string(10 + i)] = 20.0 / (i + 3);
  return functions;
}

struct Sides {
  std::vector<Run> base, head;
};

inline Sides Pairs(const Work& base, const Work& head, int pairs = 6, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Sides sides;
  for (int i = 0; i < pairs; ++i) {
    const double machine = 0.1 * normal(random);
    sides.base.push_back(MakeRun(base, random, machine));
    sides.head.push_back(MakeRun(head, random, machine));
  }
  return sides;
}

inline Diff Compared(const Sides& sides) { return CompareRuns(sides.base, sides.head, {}); }

inline const Change& ChangeOf(const Diff& diff, const std::string& name) {
  for (const Change& change : diff.functions) {
    if (change.part.name == name) return change;
  }
  FAIL("no " + name);
  return diff.functions.front();
}

}  // namespace gprofx::compare::testing
