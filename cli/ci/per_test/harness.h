// Finds the single benchmarks of a suite and runs each alone: one Harness for each framework.
//
// A harness only appends words to the command of a side and reads what the command wrote. Files of
// one run have a common path without extension, the stem: STEM.log is its output, STEM.json its
// result, STEM.gprofx its profile. What a framework writes is foreign input: it may be anything.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// The amount of work of a run, so that all runs of a benchmark do the same; 0 = not chosen yet.
struct WorkAmount {
  int64_t calls = 0;    // in each batch
  int64_t batches = 0;  // that are timed
};

// Lets the batches of two runs alternate: each waits for its turn at a FIFO.
struct TurnFiles {
  std::string own, other;  // "" = it runs alone
  bool first = false;      // it has the first turn
};

// What a harness measured in one run of a benchmark: the times of the fastest batch. Other programs
// make batches slower, and none faster.
struct BenchmarkTimes {
  double wall_ns = 0;           // of a call
  double cpu_ns = 0;            // of a call; 0 = unknown
  std::optional<double> waits;  // how often a batch gave up its processor; unset = unknown
  // Of the batches in their order, not divided by the calls; empty = unknown.
  std::vector<double> wall, cpu;
  WorkAmount work;
  std::string problem;   // why there are no times; "" = there are
  bool skipped = false;  // the problem is that the harness skipped it
};

class Harness {
 public:
  virtual ~Harness() = default;
  virtual const char* name() const = 0;  // for people
  // Words that make the command list its benchmarks.
  virtual std::vector<std::string> ListWords(const std::string& stem) const = 0;
  virtual Result<std::vector<std::string>> ReadList(const std::string& stem) = 0;
  // True if a status other than 0 means that it listed nothing. pytest and Catch2 tell numbers of
  // tests by it.
  virtual bool ListsWithStatusZero() const { return false; }
  // Words that make the command run one benchmark. May write STEM.request.
  virtual Result<std::vector<std::string>> RunWords(const std::string& benchmark,
                                                    const std::string& stem, const WorkAmount& work,
                                                    const TurnFiles& turns) const = 0;
  virtual Result<BenchmarkTimes> ReadTimes(const std::string& stem) const = 0;
  // True if the profile of a run has a step for each batch.
  virtual bool MarksBatches() const { return false; }
  // True if two runs can take turns.
  virtual bool TakesTurns() const { return false; }
  // True if the benchmarks are command lines, which the words of RunWords run.
  virtual bool IsOfCommands() const { return false; }
};

std::unique_ptr<Harness> PytestHarness();
std::unique_ptr<Harness> GoogleHarness();
std::unique_ptr<Harness> Catch2Harness();
// `path`: lines of the form "COMMAND" or "NAME: COMMAND".
std::unique_ptr<Harness> CommandsHarness(const std::string& path);

// Returns the harness of this name: "pytest", "google" or "catch2"; null for another name.
std::unique_ptr<Harness> HarnessOf(const std::string& name);

// Returns "pytest" for commands that run pytest; "" for others.
std::string HarnessInWords(const std::vector<std::string>& words);

}  // namespace gprofx
