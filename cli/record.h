// gprof-x record: parses the options of a recording and prints its messages to stderr.
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

// `args` excludes "record". Returns the exit status (man gprof-x-record).
int RunRecord(std::vector<std::string> args);

std::span<const OptionSpec> RecordOptionSpecs();

struct ParsedRecord {
  Help help = Help::kNone;
  int verbosity = 0;  // -1 = -q, 1 = -v
  recorder::RecordOptions options;
  bool counters = false;                // measure kernels in a separate run
  std::string attach;                   // words of a running process's command line; "" = none
  std::vector<record::SeriesRun> runs;  // several runs, one after the other; empty = one run
  std::vector<std::string> of_each;     // options of every run
  std::vector<std::string> compare;     // command that compares all runs
};

// Parses options and command; starts nothing and checks nothing on the machine. The command begins
// after "--" or at the first non-option argument. `options.agent` stays empty: it is the path of
// the library that is loaded into the program, see FindAgent().
Result<ParsedRecord> ParseRecord(const std::vector<std::string>& args);

// Returns the path of libgprofx-agent.so.
Result<std::string> FindAgent();

}  // namespace gprofx
