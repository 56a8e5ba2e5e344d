// Finds the benchmarks of a suite and runs each alone. There is one Harness for each framework.
//
// A harness only appends words to the command of a side, and reads what the command writes. The
// files of a run have the same path without extension, called the stem: STEM.log is its output,
// STEM.json its result, STEM.gprofx its profile. The output of a framework is untrusted input.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// The amount of work in a run. All runs of a benchmark do the same amount. 0 = not chosen yet.
struct WorkAmount {
  int64_t calls = 0;    // number of calls in each batch
  int64_t batches = 0;  // number of batches that are timed
};

// The files by which the batches of two runs alternate. Each run waits at a FIFO for its turn.
struct TurnFiles {
  std::string own, other;  // the run's own FIFO and that of the other run; "" if it runs alone
  bool first = false;      // the run has the first turn
};

// The times that a harness measured in one run of a benchmark. Times of a call are those of the
// fastest batch, because other programs can only make a batch slower.
struct BenchmarkTimes {
  double wall_ns = 0;  // wall time of a call
  double cpu_ns = 0;   // CPU time of a call; 0 = unknown
  // How often the process gave up its processor by itself, per batch; nullopt = unknown.
  std::optional<double> waits;
  // Times of all batches in order. They are not divided by the number of calls. Empty = unknown.
  std::vector<double> wall, cpu;
  WorkAmount work;
  std::string problem;   // why there are no times; "" if there are
  bool skipped = false;  // the harness skipped the benchmark, and that is the reason
};

class Harness {
 public:
  virtual ~Harness() = default;
  virtual const char* name() const = 0;  // name of the framework, for people to read
  // ListWords() returns the words to append to a command so that it lists its benchmarks.
  // ReadList() reads that list.
  virtual std::vector<std::string> ListWords(const std::string& stem) const = 0;
  virtual Result<std::vector<std::string>> ReadList(const std::string& stem) = 0;
  // True if the list is valid only with exit status 0. pytest and Catch2 may return a number of
  // tests as the status.
  virtual bool ListsWithStatusZero() const { return false; }
  // Returns the words to append to a command so that it runs one benchmark. May write STEM.request.
  virtual Result<std::vector<std::string>> RunWords(const std::string& benchmark,
                                                    const std::string& stem, const WorkAmount& work,
                                                    const TurnFiles& turns) const = 0;
  virtual Result<BenchmarkTimes> ReadTimes(const std::string& stem) const = 0;
  // True if the profile of a run contains a step for each batch.
  virtual bool MarksBatches() const { return false; }
  // True if the batches of two runs can alternate.
  virtual bool TakesTurns() const { return false; }
  // True if the benchmarks are command lines. RunWords() then returns the words of the command
  // itself.
  virtual bool IsOfCommands() const { return false; }
};

std::unique_ptr<Harness> PytestHarness();
std::unique_ptr<Harness> GoogleHarness();
std::unique_ptr<Harness> Catch2Harness();
// Returns the harness for --command-for-each. `path` is a file with lines of the form "COMMAND" or
// "NAME: COMMAND".
std::unique_ptr<Harness> CommandsHarness(const std::string& path);

// Returns the harness with this name: "pytest", "google" or "catch2". Returns nullptr for other
// names.
std::unique_ptr<Harness> HarnessOf(const std::string& name);

// Returns "pytest" if the command `words` runs pytest; otherwise "".
std::string HarnessInWords(const std::vector<std::string>& words);

}  // namespace gprofx
