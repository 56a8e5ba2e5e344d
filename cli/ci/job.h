// The recordings of one job and what they say: warm-up, pairs in turns, the comparison, and fresh
// pairs where something looks slower.
//
// Blocking; one thread. What is recorded stays in the folder, whatever happens.
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
  kOff,         // --confirm 0
  kConfirmed,   // the fresh pairs show something of it again
  kRefuted,     // they do not
  kNoTime,      // the time limit left no room for them
  kFewBaseRuns  // of the baseline: none would be left for the second look
};

struct CiResult {
  bool stopped = false;  // by a signal; the rest says nothing
  compare::Diff diff;
  std::optional<compare::Diff> again;   // of the fresh pairs alone, where there were some
  std::vector<std::string> base, head;  // files that were compared
  std::vector<std::string> confirm_base, confirm_head;  // those of them that confirm
  size_t dropped = 0;                                   // pairs that still warmed up
  size_t left_running = 0;                              // programs that runs left, ended by the job
  bool time_spent = false;  // the limit ended it with fewer pairs than asked for
  Confirmation confirmation = Confirmation::kNotNeeded;
  double seconds = 0;
};

class CiJob {
 public:
  // `baseline`: files to compare with instead of recording the base; empty without.
  // `rules` may ask for fresh pairs; what becomes of them is the caller's to check.
  CiJob(const CiRun& run, const compare::RuleSet& rules, const JobFolder& folder,
        std::vector<std::string> baseline, StopSignals& signals, const Orphans& orphans);

  Result<CiResult> Run();

 private:
  struct Pairs {
    std::vector<std::string> base, head;
    std::vector<compare::Run> base_runs, head_runs;  // of the first files
  };
  using Done = Result<bool>;  // false: stopped by a signal

  bool RecordsBase() const { return baseline_.empty(); }
  bool HasRoom() const;
  Done RecordSide(const std::string& part, bool head, size_t index, size_t count);
  // Pairs `from` to `to` - 1; those before `least` are recorded whatever the time limit says.
  Done RecordPairs(const std::string& part, size_t from, size_t to, size_t least, Pairs& pairs);
  Status Read(Pairs& pairs) const;
  Status DropWarmUp(Pairs& pairs);
  Done Judge(Pairs first);
  // Looks are at runs that no other look has seen: a baseline gives each of the two its half.
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
  double longest_pair_ = 0;  // seconds
  CiResult result_;
};

}  // namespace gprofx
