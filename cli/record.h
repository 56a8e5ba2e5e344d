// gprof-x record: options to a recording, messages to stderr.
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

// `args` are those behind "record". Returns the exit status (man gprof-x-record).
int RunRecord(std::vector<std::string> args);

std::span<const OptionSpec> RecordOptionSpecs();

struct ParsedRecord {
  bool help = false;
  int verbosity = 0;  // -1 = -q, 1 = -v
  recorder::RecordOptions options;
  bool counters = false;  // kernels are measured in a run of their own
  std::string attach;     // words of the command line of a process that runs already; "" = none
  std::vector<record::SeriesRun> runs;  // several, one after the other; empty = just one
  std::vector<std::string> of_each;     // options that each of them gets
  std::vector<std::string> compare;     // the command that looks at all of them
};

// Options and command; nothing is started or looked at. The command begins behind "--" or at the
// first word that is no option. The agent of `options` is left empty.
Result<ParsedRecord> ParseRecord(const std::vector<std::string>& args);

// Path of libgprofx-agent.so.
Result<std::string> FindAgent();

}  // namespace gprofx
