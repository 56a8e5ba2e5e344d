// gprof-x record: parses the options of a recording, runs it, and prints its messages to stderr.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "samplers/recorder/recorder.h"

#include "cli/options.h"
#include "cli/record/series.h"

namespace gprofx {

// Runs the command. `args` does not include "record". Returns the exit status (man gprof-x-record).
int RunRecord(std::vector<std::string> args);

std::span<const OptionSpec> RecordOptionSpecs();

struct ParsedRecord {
  Help help = Help::kNone;
  int verbosity = 0;  // -1 for -q, 1 for -v
  recorder::RecordOptions options;
  bool counters = false;  // measure kernels in a second run
  // Words of the command line of a running process, from --attach; "" = not given.
  std::string attach;
  std::vector<record::SeriesRun> runs;  // several runs, one after the other; empty = a single run
  std::vector<std::string> of_each;     // options for every run
  std::vector<std::string> compare;     // command that compares all runs
};

// Parses the options and the command. Starts nothing and does not check the machine. The command
// begins after "--" or at the first non-option argument. Leaves options.agent empty; FindAgent()
// returns the path of the agent.
Result<ParsedRecord> ParseRecord(const std::vector<std::string>& args);

// Returns the path of libgprofx-agent.so, the library that is loaded into the recorded program.
Result<std::string> FindAgent();

}  // namespace gprofx
