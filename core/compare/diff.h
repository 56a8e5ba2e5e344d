// Two versions of a program, each recorded several times, compared: whether they can be, what they
// did differently, and what takes longer.
//
// What was done is counted exactly, so one run of each is enough to see a difference of counts that
// do not vary from run to run. Times need repetitions, see compare.h. Time that moved from one
// function to another is no regression where the whole stays what it was. Pure; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compare/compare.h"
#include "core/compare/run.h"

namespace gprofx::compare {

// Why nothing can be concluded.
struct Obstacle {
  enum Kind : uint8_t {
    kMachine,     // `what` is not the same: base, head
    kIncomplete,  // `what` recordings are unfinished
    kLost,        // too much of the time of a run is not accounted for: base or head names the part
    kWorkload,    // the program failed: base, head are exit statuses
  } kind;
  std::string what, base, head;
};

struct CountChange {
  std::string name;
  int64_t base = 0, head = 0;  // of every run of the side
};

struct Change {
  enum Fate : uint8_t {
    kThere,    // in both versions
    kNew,      // in no run of the base
    kGone,     // in no run of the head
    kRenamed,  // new, and `other` of the same kind, file and time is gone
  };
  Part part;  // of the head, where it is there
  Fate fate = kThere;
  std::string other;   // name in the base, where renamed
  bool moved = false;  // significant, but others give what it takes
  Outcome outcome;
};

struct Diff {
  size_t base_runs = 0, head_runs = 0;
  bool paired = false;
  std::string metric;
  std::vector<Obstacle> obstacles;
  std::vector<Obstacle> differences;  // of the workload: said, no obstacle
  std::vector<CountChange> counts;    // that changed; largest change first
  size_t counts_equal = 0, counts_varying = 0;
  Outcome total, gpu_total;
  double global = 0, gpu_global = 0;       // see Comparison
  std::vector<Change> functions, kernels;  // most important first
  Verdict verdict = Verdict::kInconclusive;
};

// Finds what only moved, puts the most important change first and gives the whole its verdict,
// after the verdicts of its parts were set.
void Judge(Diff& diff);

Diff CompareRuns(std::span<const Run> base, std::span<const Run> head, const Settings& settings);

}  // namespace gprofx::compare
