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
#include "core/compare/unit.h"

namespace gprofx::compare {

// Why nothing can be concluded.
struct Obstacle {
  enum Kind : uint8_t {
    kMachine,     // `what` is not the same: base, head
    kIncomplete,  // `what` recordings are unfinished
    kLost,        // too much of the time of a run is not accounted for: base or head names the part
    kWorkload,    // `what` of the program is not the same; only the exit status is an obstacle
    kSameFiles,   // a recording is there twice
    // Said, and no obstacle:
    kUnknownFact,  // `what` is known of one side only
    kNoSteps,      // times are per run: `what` says why
    kUnpaired,     // base, head: so many runs, so they are no pairs
    kNotCounted,   // GPU work was recorded for a part of the time, or lost: counts say nothing
  } kind;
  std::string what, base, head;
};

struct CountChange {
  std::string name;
  int64_t base = 0, head = 0;  // of every run of the side, or of every step of it
  bool per_step = false;
};

// A count over the runs of both sides, or over their steps; equal ones, too. What rules ask for.
struct CountRange {
  std::string name;
  int64_t base_least = 0, base_most = 0, head_least = 0, head_most = 0;
  bool per_step = false;
  bool varies = false;  // from step to step: the numbers say nothing
};

// A finding that runs of the head have (finding_check.h).
struct FindingRange {
  std::string name;              // "sync-in-step in train"
  size_t place = 0;              // among those of this name: 0 = the largest
  size_t base_runs = 0;          // that have it
  std::vector<RunFinding> head;  // one for each run that has it
  RunFinding example;            // the one of them that saves least
};

// A share of the whole, compared in points: 0.01 is one.
struct SharePoints {
  double base = 0, head = 0;  // means over the runs
  Estimate estimate;          // of head - base; df 0 = it cannot be told
  Interval interval;
};

struct StepCounts {  // of each run; empty where times are per run
  StepSource source = StepSource::kMarkers;
  std::vector<int64_t> base, head;
};

struct Change {
  enum Fate : uint8_t {
    kThere,    // in both versions
    kNew,      // in no run of the base
    kGone,     // in no run of the head
    kRenamed,  // new, and `other` of the same kind, file and time is gone
    kInlined,  // called in the base, only inlined into its callers in the head
  };
  Part part;  // of the head, where it is there
  Fate fate = kThere;
  std::string other;   // name in the base, where renamed
  bool moved = false;  // significant, but others give what it takes
  Outcome outcome;
  Outcome inclusive;               // of functions: with everything that they call
  Outcome caller;                  // `inclusive` of the function that calls it most
  std::string key;                 // of the part, see run.h
  std::string suppressed_by;       // as in RuleResult: it fails nothing
  bool in_every_head_run = false;  // of what is new
};

// What became of one rule (rules.h) for one of the things that it is about.
struct RuleResult {
  std::string rule;                          // as it was written
  bool fired = false;                        // what it forbids is there
  Verdict verdict = Verdict::kInconclusive;  // kRegression = fired, kEquivalent = it holds
  std::string evidence;                      // one line: what was seen; unescaped
  // What it is about: Diff::functions, kernels, lines, operators or findings at `change`, a count
  // by name, or the whole. A finding has its name in `count`, too.
  enum Subject : uint8_t {
    kWhole,
    kFunction,
    kKernel,
    kLine,
    kOperator,
    kCount,
    kFinding
  } subject = kWhole;
  size_t change = 0;
  std::string count;
  std::string suppressed_by;  // "owner until 2026-01-31: because"; "" = not suppressed
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
  double global = 0, gpu_global = 0;         // see Comparison
  std::vector<Change> functions, kernels;    // most important first
  Verdict verdict = Verdict::kInconclusive;  // of the data, whatever the rules say
  // `total` is the time of a step where there are steps, else `clock_total`, which is what all
  // functions take together.
  Unit unit = Unit::kRun;
  StepCounts steps;
  Outcome clock_total;
  SharePoints gpu_idle;
  SharePoints step_spread;               // logarithms of WorkDone::step_spread
  std::vector<double> head_spreads;      // of each run of the head; empty where one has none
  std::vector<Change> lines, operators;  // most important first
  std::vector<CountRange> count_ranges, sum_ranges;
  std::vector<RuleResult> rules;       // empty: no rules were given
  std::vector<FindingRange> findings;  // of the head; the largest saving first
  std::string no_findings;             // why they are not known; "" = they are
};

// The changes that a result with such a subject is about; null for the whole, counts and findings.
const std::vector<Change>* ListOf(const Diff& diff, RuleResult::Subject subject);

// Finds what only moved, puts the most important change first and gives the whole its verdict,
// after the verdicts of its parts were set.
void Judge(Diff& diff);

Diff CompareRuns(std::span<const Run> base, std::span<const Run> head, const Settings& settings);

}  // namespace gprofx::compare
