// Makes the recordings of one job and compares them. A pair is one recording of the base and one of
// the head. The job records warm-up pairs and then pairs in alternating order. It compares them,
// and records fresh pairs if something looks slower.
//
// Blocking; one thread. The recordings stay in the job's folder, whatever the result.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/ci/job_folder.h"
#include "cli/ci/orphans.h"
#include "cli/ci/run_options.h"
#include "cli/ci/stop_signals.h"
#include "core/base/result.h"
#include "core/compare/diff.h"
#include "core/compare/rules/rules.h"

namespace gprofx {

enum class Confirmation : uint8_t {
  kNotNeeded,   // nothing looked slower
  kOff,         // disabled by --confirm 0
  kConfirmed,   // the fresh pairs show some of the slowdown, too
  kRefuted,     // the fresh pairs show none of the slowdown
  kNoTime,      // the time limit did not permit fresh pairs
  kFewBaseRuns  // too few baseline runs for a second comparison
};

struct CiResult {
  bool stopped = false;  // a signal stopped the job; the other fields are then meaningless
  compare::Diff diff;
  // Comparison of the fresh pairs alone; nullopt if none were recorded.
  std::optional<compare::Diff> again;
  std::vector<std::string> base, head;                  // files that were compared
  std::vector<std::string> confirm_base, confirm_head;  // the files of the fresh pairs among them
  size_t dropped = 0;                                   // pairs that were left out as warm-up
  size_t left_running = 0;  // programs that runs left running; the job ended them
  bool time_spent = false;  // the time limit ended the job before all pairs were recorded
  Confirmation confirmation = Confirmation::kNotNeeded;
  double seconds = 0;
};

class CiJob {
 public:
  // `baseline` are the files to compare with. If it is empty, the base is recorded. `rules` only
  // determines whether fresh pairs are needed; the caller evaluates the rules.
  CiJob(const CiRun& run, const compare::RuleSet& rules, const JobFolder& folder,
        std::vector<std::string> baseline, StopSignals& signals, const Orphans& orphans);

  Result<CiResult> Run();

 private:
  struct Pairs {
    std::vector<std::string> base, head;
    // Contents of the recordings that have been read so far.
    std::vector<compare::Run> base_runs, head_runs;
  };
  using Done = Result<bool>;  // false if a signal stopped the job

  bool RecordsBase() const { return baseline_.empty(); }
  bool HasRoom() const;
  Done RecordSide(const std::string& part, bool head, size_t index, size_t count);
  // Records the pairs with the numbers `from` to `to` - 1. Ignores the time limit for numbers below
  // `least`.
  Done RecordPairs(const std::string& part, size_t from, size_t to, size_t least, Pairs& pairs);
  Status Read(Pairs& pairs) const;
  Status DropWarmUp(Pairs& pairs);
  Done Judge(Pairs first);
  // Selects the runs of a stored baseline for a comparison. kFirst is the first half, for the first
  // comparison. kSecond is the other half, for the second comparison. kAll is everything.
  enum class Look { kFirst, kSecond, kAll };
  template <class T>
  static std::span<const T> PartOf(const std::vector<T>& baseline, Look look);
  bool CanLookTwice() const;
  compare::Diff Compare(const Pairs& pairs, Look look) const;
  double Elapsed() const;

  const CiRun& run_;
  const compare::RuleSet& rules_;
  const JobFolder& folder_;
  std::vector<std::string> baseline_;
  std::vector<compare::Run> baseline_runs_;
  StopSignals& signals_;
  const Orphans& orphans_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double longest_pair_ = 0;  // seconds that the longest pair took
  CiResult result_;
};

}  // namespace gprofx
