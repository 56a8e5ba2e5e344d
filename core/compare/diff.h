// Compares two versions of a program, each recorded several times: whether they are comparable,
// which counts differ, and what takes longer.
//
// Work is counted exactly, so one run of each version is enough to see a difference in counts that
// do not vary between runs. Times need repetitions, see compare.h. Time that moved between
// functions is not a regression if the whole did not change. Pure; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compare/compare.h"
#include "core/compare/run.h"
#include "core/compare/unit.h"

namespace gprofx::compare {

// A reason why nothing can be concluded.
struct Obstacle {
  enum Kind : uint8_t {
    kMachine,     // `what` differs: base, head
    kIncomplete,  // `what` recordings are unfinished
    kLost,        // too much of a run's time is unaccounted; base or head is the share
    kWorkload,    // workload fact `what` differs; only the exit status blocks
    kSameFiles,   // the same recording occurs twice
    // Reported, but not obstacles:
    kUnknownFact,  // `what` is known for one side only
    kNoSteps,      // times are per run; `what` says why
    kUnpaired,     // base, head: numbers of runs, which differ
    kNotCounted,   // GPU records are partial or lost, so counts are not comparable
  } kind;
  std::string what, base, head;
};

struct CountChange {
  std::string name;
  int64_t base = 0, head = 0;  // of every run, or of every step, of the side
  bool per_step = false;
};

// Range of one count over the runs of each side, or of its count per step over the runs. Also
// present if both sides are equal. Used by rules.
struct CountRange {
  std::string name;
  int64_t base_least = 0, base_most = 0, head_least = 0, head_most = 0;
  bool per_step = false;
  bool varies = false;  // between steps, so the numbers mean nothing
};

// A finding that some run of the head has, matched over the runs of both sides (finding_check.h).
struct FindingRange {
  std::string name;              // "sync-in-step in train"
  size_t place = 0;              // index among those of this name; 0 = the largest
  size_t base_runs = 0;          // number of base runs that have it
  std::vector<RunFinding> head;  // one per run that has it
  RunFinding example;            // the one with the smallest saving
};

// A share of a run, such as that of idle GPU time, compared in percentage points: 0.01 is one
// point.
struct SharePoints {
  double base = 0, head = 0;  // means over the runs
  Estimate estimate;          // of head - base; df 0 = unknown
  Interval interval;
};

struct StepCounts {  // per run; empty if times are per run
  StepSource source = StepSource::kMarkers;
  std::vector<int64_t> base, head;
};

struct Change {
  enum Fate : uint8_t {
    kThere,    // in both versions
    kNew,      // in no run of the base
    kGone,     // in no run of the head
    kRenamed,  // new; `other`, of the same kind, file and time, is gone
    kInlined,  // called in the base, only inlined in the head
  };
  Part part;  // of the head if it is there, else of the base
  Fate fate = kThere;
  std::string other;   // name in the base if renamed
  bool moved = false;  // significant, but other parts offset it
  Outcome outcome;
  Outcome inclusive;               // functions only: with all callees
  Outcome caller;                  // `inclusive` of the main caller
  std::string key;                 // see run.h
  std::string suppressed_by;       // as in RuleResult; does not fail the gate
  bool in_every_head_run = false;  // new parts only
};

// The result of one rule (rules.h) for one of its subjects.
struct RuleResult {
  std::string rule;                          // as written
  bool fired = false;                        // the forbidden condition holds
  Verdict verdict = Verdict::kInconclusive;  // kRegression = fired, kEquivalent = it holds
  std::string evidence;                      // one line: the observed values; unescaped
  // What the result is about.
  //   - Functions, kernels, lines, operators and findings: `change` is an index into the vector of
  //     Diff of that kind. For a finding, `count` also holds its name.
  //   - Counts: `count` is the name.
  //   - kWhole: neither is used.
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
  std::vector<Obstacle> differences;  // workload differences, reported but no obstacles
  std::vector<CountChange> counts;    // changed counts, largest change first
  size_t counts_equal = 0, counts_varying = 0;
  Outcome total, gpu_total;
  double global = 0, gpu_global = 0;         // see Comparison
  std::vector<Change> functions, kernels;    // most important first
  Verdict verdict = Verdict::kInconclusive;  // from the data, regardless of rules
  // `clock_total` is the time of all functions together. `total` is the time of a step if `unit` is
  // the step, else it equals `clock_total`.
  Unit unit = Unit::kRun;
  StepCounts steps;
  Outcome clock_total;
  SharePoints gpu_idle;
  SharePoints step_spread;               // of the logarithms of WorkDone::step_spread
  std::vector<double> head_spreads;      // of each head run; empty if any has none
  std::vector<Change> lines, operators;  // most important first
  std::vector<CountRange> count_ranges, sum_ranges;
  std::vector<RuleResult> rules;       // empty if no rules were given
  std::vector<FindingRange> findings;  // in the head; largest saving first
  std::string no_findings;             // why findings are unknown; "" = known
};

// Returns the list of changes that a result with this subject refers to; null for the whole, counts
// and findings.
const std::vector<Change>* ListOf(const Diff& diff, RuleResult::Subject subject);

// Marks changes whose time only moved (cost_shift.h), sorts all changes by importance and sets
// diff.verdict. The verdicts of the parts must be set.
void Judge(Diff& diff);

Diff CompareRuns(std::span<const Run> base, std::span<const Run> head, const Settings& settings);

}  // namespace gprofx::compare
