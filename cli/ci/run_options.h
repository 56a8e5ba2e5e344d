// Parses the command line of `gprof-x ci run`. Pure, except ReadComparison().
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/diff/diff.h"
#include "core/base/result.h"

namespace gprofx {

// Minimum number of fresh pairs. With fewer, a real regression could not be confirmed.
inline constexpr size_t kMinFreshPairs = 3;

struct CiSide {
  std::string command;  // shell command; "" = the words after "--" are the command
  std::string folder;   // working directory; "" = the current one
};

struct CiRun {
  bool help = false;
  CiSide base, head;
  std::vector<std::string> words;  // the words after "--"
  std::string baseline;            // name of the baseline; "" = record the base
  size_t pairs = 5;
  size_t warm_up = 1;             // pairs that are recorded first and not compared
  std::optional<size_t> confirm;  // number of fresh pairs; nullopt = see fresh_pairs()
  double time_limit_s = 0;        // seconds; 0 = no limit
  std::string output = "gprof-x-ci";
  bool force = false, show_output = false, ignore_failures = false;
  // The harness for --per-test: "auto", "pytest", and so on; "" = compare the whole command.
  std::string harness;
  std::string commands_file;  // file of --command-for-each
  std::string history;        // folder or file of --history
  std::vector<std::string> record_options;
  std::vector<std::string> diff_args;  // options of the comparison, which ReadComparison() parses
  DiffCommand diff;                    // its files to compare are not set

  bool per_test() const { return !harness.empty(); }
  size_t fresh_pairs() const { return confirm.value_or(std::max(pairs, kMinFreshPairs)); }
};

inline constexpr char kCiRunCommand[] = "gprof-x ci run";

// Parses all options except those of the comparison.
Result<CiRun> ParseCiRun(const std::vector<std::string>& args);

// Parses the options of the comparison into run.diff. Also checks that the output files can be
// written, so their folder must exist.
Status ReadComparison(CiRun& run);

// Returns the command of a side: the words after "--", or a shell that runs the side's command line
// with these words appended.
std::vector<std::string> CommandOf(const CiRun& run, const CiSide& side);

// Parses a time such as "90", "90s", "15m" or "1.5h". Returns seconds, or nullopt if it is invalid.
std::optional<double> ParseTime(const std::string& text);

// True if the head runs first in a pair. The base runs first in pair 0, the head in pair 1, and so
// on (ABBA). A drift of the machine then affects both equally.
inline bool HeadIsFirst(size_t pair) { return pair % 2 != 0; }

// Returns the name of a run, such as "03" for index 2 of 12. Because of leading zeros, the
// alphabetical order of names is the order of the runs.
std::string RunName(size_t index, size_t count);

}  // namespace gprofx
