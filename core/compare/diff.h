// Compares two versions of a program, each recorded once or several times. Finds out whether they
// are comparable, which counts differ, and what takes longer.
//
// Work is counted exactly. One run of each version is therefore enough to see a difference in
// counts that do not vary between runs. Times need repeated runs, see compare.h. Time that moved
// between functions is not a regression if the whole did not change. Pure; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compare/compare.h"
#include "core/compare/run.h"
#include "core/compare/unit.h"

namespace gprofx::compare {

// A reason why the two versions cannot be compared, or a note for the reader.
struct Obstacle {
  enum Kind : uint8_t {
    kMachine,     // machine fact `what` differs; its values are base and head
    kIncomplete,  // base or head is the number of unfinished recordings
    kLost,        // too much of a run's time was lost; base or head is the share
    kWorkload,   // workload fact `what` differs; only a different exit status prevents a comparison
    kSameFiles,  // a recording occurs twice
    // The following are notes for the reader:
    kUnknownFact,  // only one side has a value of `what`
    kNoSteps,      // times are per run; `what` says why
    kUnpaired,     // the sides have different numbers of runs: base, head
    kNotCounted,   // GPU records are incomplete, so counts are not comparable
  } kind;
  std::string what, base, head;
};

struct CountChange {
  std::string name;
  int64_t base = 0, head = 0;  // the count, the same in every run or step of a side
  bool per_step = false;
};

// Range of a count over the runs of each side. The count is per run, or per step. A range exists
// even if both sides are equal, because rules use it.
struct CountRange {
  std::string name;
  int64_t base_least = 0, base_most = 0, head_least = 0, head_most = 0;
  bool per_step = false;
  bool varies = false;  // the count differs between steps; the numbers are then meaningless
};

// A finding that at least one run of the head has, and the runs of both sides that have it
// (finding_check.h).
struct FindingRange {
  std::string name;              // "sync-in-step in train"
  size_t place = 0;              // index among findings with this name; 0 = the largest
  size_t base_runs = 0;          // number of base runs that have it
  std::vector<RunFinding> head;  // one per run that has it
  RunFinding example;            // the element of `head` with the smallest saving
};

// A share of a run, such as that of idle GPU time, compared in percentage points. 0.01 is one
// point.
struct SharePoints {
  double base = 0, head = 0;  // means over the runs
  Estimate estimate;          // of head - base; df 0 = unknown
  Interval interval;
};

struct StepCounts {  // number of steps of each run; empty if times are per run
  StepSource source = StepSource::kMarkers;
  std::vector<int64_t> base, head;
};

struct Change {
  enum Fate : uint8_t {
    kThere,    // in both versions
    kNew,      // in no run of the base
    kGone,     // in no run of the head
    kRenamed,  // new; the gone part `other` has the same kind, file, module and time
    kInlined,  // called in the base, but only inlined in the head
  };
  Part part;  // from the head or, if the part is gone, from the base
  Fate fate = kThere;
  std::string other;   // name in the base, if it was renamed
  bool moved = false;  // its time only moved: other parts offset the change
  Outcome outcome;
  Outcome inclusive;               // with all callees; set only for functions
  Outcome caller;                  // the value of `inclusive` of its main caller
  std::string key;                 // see run.h
  std::string suppressed_by;       // as in RuleResult; a suppressed change does not fail the gate
  bool in_every_head_run = false;  // set only for new parts
};

// The result of a rule (rules.h) for one function, kernel, count or the like.
struct RuleResult {
  std::string rule;                          // as written
  bool fired = false;                        // the condition that the rule forbids holds
  Verdict verdict = Verdict::kInconclusive;  // kRegression = the rule fires, kEquivalent = it holds
  std::string evidence;                      // the observed values in one line; unescaped
  // What the result is about.
  //   - Functions, kernels, lines, operators and findings: `change` is an index into the vector of
  //     that kind in Diff. For a finding, `count` is its name.
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
  std::vector<Obstacle> differences;  // workload differences that do not prevent a comparison
  std::vector<CountChange> counts;    // changed counts, largest change first
  size_t counts_equal = 0, counts_varying = 0;
  Outcome total, gpu_total;
  double global = 0, gpu_global = 0;         // global changes as in Comparison
  std::vector<Change> functions, kernels;    // most important first
  Verdict verdict = Verdict::kInconclusive;  // from the data; rules do not affect it
  // `clock_total` is the time of all functions together. If `unit` is the step, `total` is the time
  // of a step; otherwise it equals `clock_total`.
  Unit unit = Unit::kRun;
  StepCounts steps;
  Outcome clock_total;
  SharePoints gpu_idle;
  SharePoints step_spread;               // change of the logarithm of WorkDone::step_spread
  std::vector<double> head_spreads;      // by head run; empty if any has none
  std::vector<Change> lines, operators;  // most important first
  std::vector<CountRange> count_ranges, sum_ranges;
  std::vector<RuleResult> rules;       // empty if no rules were given
  std::vector<FindingRange> findings;  // of the head; largest saving first
  std::string no_findings;             // why findings are unknown; "" if they are known
};

// Returns the list of changes to which results with this subject refer; null for the whole, counts
// and findings.
const std::vector<Change>* ListOf(const Diff& diff, RuleResult::Subject subject);

// Marks changes whose time only moved (cost_shift.h), sorts all changes by importance and sets
// diff.verdict. The verdicts of the parts must be set.
void Judge(Diff& diff);

Diff CompareRuns(std::span<const Run> base, std::span<const Run> head, const Settings& settings);

}  // namespace gprofx::compare
