// Compares the benchmarks of a suite. The job lists them, runs base and head of each in turns until
// the result is decided, and finds out what changed.
//
// A round is one run of a benchmark in each version. If the harness supports it, both run at the
// same time and their batches alternate every few milliseconds (ABBA). A disturbance of the machine
// then affects both. Otherwise, they run directly after each other, and the base runs first in even
// rounds. Each run is a process of its own, and both runs of a round have the same seed for
// Python's hashes. All benchmarks get a round before any of them gets the next one, so that a
// disturbance affects only few rounds of each. core/compare/statistics/rounds.h decides which ones
// get more rounds.
//
// Blocking; one thread. The recordings stay in the job's folder.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/ci/job_folder.h"
#include "cli/ci/orphans.h"
#include "cli/ci/per_test/harness.h"
#include "cli/ci/per_test/result.h"
#include "cli/ci/recording.h"
#include "cli/ci/run_options.h"
#include "cli/ci/stop_signals.h"
#include "core/base/result.h"
#include "core/compare/statistics/rounds.h"

namespace gprofx {

class PerTestJob {
 public:
  PerTestJob(const CiRun& run, std::unique_ptr<Harness> harness, const JobFolder& folder,
             StopSignals& signals, const Orphans& orphans);

  Result<PerTestResult> Run();

 private:
  using Clock = double BenchmarkTimes::*;
  struct Round {
    BenchmarkTimes base, head;
    bool took_turns = false;  // the batches of both sides alternated

    double Log(Clock clock) const;  // logarithm of head / base
  };
  struct Bench {
    std::string name, folder;  // "tests/0003"
    WorkAmount work;
    std::vector<Round> rounds;
    compare::RoundTrial trial;
    double longest = 0;  // duration of its longest round in seconds
    BenchmarkVerdict verdict = BenchmarkVerdict::kUnknown;
    std::string note;

    bool IsOut() const {
      return verdict == BenchmarkVerdict::kFailed || verdict == BenchmarkVerdict::kSkipped;
    }
    bool IsSuspect() const { return trial.state == compare::RoundState::kSuspect; }
    size_t fresh() const { return IsSuspect() ? rounds.size() - trial.fresh_from : 0; }
    bool IsComplete() const { return IsSuspect() && trial.done; }
    Clock ClockToCompare() const;
    // Returns the logarithm of head / base of each fresh round, or of all rounds.
    enum class Which { kFresh, kAll };
    std::vector<double> Logs(Which which, Clock clock) const;
    compare::Estimate EstimateOf(Which which, const compare::Prior& prior) const;
  };
  using Done = Result<bool>;  // false if a signal stopped the job

  Result<CiRecordingEnd> RunList(bool head, const std::string& stem);
  Done List(bool head, std::vector<std::string>& names);
  Done WarmUp(Bench& bench);
  Done MakeRound(Bench& bench);
  struct SideRun {
    bool head = false;
    std::string stem;
    CiRecording recording;
  };
  Result<SideRun> Prepare(const Bench& bench, bool head, bool recorded,
                          const TurnFiles& turns) const;
  // Runs `sides` of a benchmark, at the same time if `together`, otherwise one after the other.
  // Sets the problem of a side that failed.
  Done RunSides(std::vector<SideRun>& sides, bool together, Round& round);
  void ReadTimes(const SideRun& side, int status, BenchmarkTimes& times) const;
  std::string StemOf(const Bench& bench, bool head, bool recorded) const;
  bool CheckRound(const Round& round, const std::string& where, Bench& bench) const;
  bool MakeTurns(const Bench& bench, TurnFiles (&turns)[2]) const;
  Done FirstRounds();
  Done MoreRounds();
  Bench* Next();
  void SetStates();
  bool HasRoom(double seconds) const;
  double Elapsed() const;
  std::string SideName(bool head) const;
  void Show(const Bench& bench, const std::string& what) const;
  std::vector<std::string> CommandOfSide(bool head, const std::vector<std::string>& words) const;
  std::vector<std::string> EnvironmentOf(const Bench& bench) const;
  void Judge();
  void Measure(const Bench& bench, BenchmarkResult& out) const;
  void JudgeOne(const Bench& bench, bool is_confirmed, BenchmarkResult& out) const;
  std::set<const Bench*> ConfirmedSuspects() const;
  Status Explain(const Bench& bench, BenchmarkResult& out);
  std::vector<std::string> ProfilesOf(const Bench& bench, bool head) const;

  const CiRun& run_;
  const std::unique_ptr<Harness> harness_;
  const JobFolder& folder_;
  StopSignals& signals_;
  const Orphans& orphans_;
  const compare::RoundSettings settings_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<Bench> benches_;
  compare::Prior prior_;
  PerTestResult result_;
  size_t diffs_ = 0;  // number of results that have a `diff`
};

}  // namespace gprofx
