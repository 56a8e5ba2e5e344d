// The result of a job that compares benchmarks one by one. Passive data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/compare/diff.h"
#include "core/compare/statistics/tests.h"

namespace gprofx {

enum class BenchmarkVerdict : uint8_t {
  kSlower,
  kFaster,
  kSame,
  kUnknown,  // there is not enough evidence
  kFailed,   // it fails in the head, or in both versions
  kSkipped
};

struct ChangedCount {  // an exact count that changed, see core/compare/event_counts.h
  std::string name;
  int64_t base = 0, head = 0;
  const char* per = "run";  // "call", "batch" or "run"
};

// A function, kernel or line that takes more or less time of a call than before.
struct Blamed {
  std::string kind, name;
  std::string file;  // "" = unknown
  uint32_t line = 0;
  std::string seen_file;  // place in the user's code that causes most of its time; "" = unknown
  uint32_t seen_line = 0;
  double base_ns = 0, head_ns = 0;  // time in a call
};

struct BenchmarkResult {
  std::string name;
  BenchmarkVerdict verdict = BenchmarkVerdict::kUnknown;
  const char* clock = "wall";  // "wall" or "cpu": the clock of `estimate`
  std::string note;  // why it has this verdict, if the numbers do not show that; unescaped
  // Estimate of log(head / base) of the time in a call. A benchmark whose first rounds suggest a
  // change is a suspect (IsSuspect in job.h) and gets new rounds, the fresh ones. For a suspect,
  // only those count.
  compare::Estimate estimate;
  compare::Interval interval;
  compare::Interval cpu_interval;
  double cpu_effect = 0;  // change of CPU time; 0 if unknown
  double detectable = 0;  // smallest change that this many rounds could show
  // Time of a call in the fastest batch; the median over the rounds.
  double base_ns = 0, head_ns = 0;
  double base_cpu_ns = 0, head_cpu_ns = 0;
  size_t rounds = 0, fresh_rounds = 0;  // `rounds` includes the fresh rounds
  int64_t calls = 0;                    // number of calls in a batch
  std::vector<ChangedCount> counts;
  std::vector<Blamed> blamed;           // largest change first
  std::vector<std::string> base, head;  // paths of the profiles of each side
  // The comparison per call, for the page of --html: set for the kMaxDiffs most important changes.
  std::optional<compare::Diff> diff;
  bool diff_of_steps = false;  // true if its times come from steps, and not from whole runs
};

inline constexpr size_t kMaxDiffs = 50;

struct PerTestResult {
  bool stopped = false;  // a signal stopped the job; the other fields are then meaningless
  std::string harness;
  std::vector<BenchmarkResult> benchmarks;        // in the order of the head's list
  std::vector<std::string> only_base, only_head;  // benchmarks that only one side has
  bool time_spent = false;                        // the time limit ended the job
  size_t left_running = 0;
  double seconds = 0;
  double run_seconds = 0;  // part of it in which benchmarks ran
};

}  // namespace gprofx
