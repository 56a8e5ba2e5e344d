// Parses the command line of `gprof-x ci run`. Pure, except ReadComparison.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/diff/diff.h"
#include "core/base/result.h"

namespace gprofx {

// Fewer pairs give too little evidence to confirm a real regression.
inline constexpr size_t kMinFreshPairs = 3;

struct CiSide {
  std::string command;  // shell command; "" = the words after "--" are the command
  std::string folder;   // working directory; "" = the current one
};

struct CiRun {
  bool help = false;
  CiSide base, head;
  std::vector<std::string> words;  // after "--"
  std::string baseline;            // "" = record the base
  size_t pairs = 5;
  size_t warm_up = 1;             // pairs that are recorded first and not compared
  std::optional<size_t> confirm;  // number of fresh pairs; unset = see fresh_pairs()
  double time_limit_s = 0;        // 0 = none
  std::string output = "gprof-x-ci";
  bool force = false, show_output = false, ignore_failures = false;
  std::string harness;        // of --per-test: "auto", "pytest", ...; "" = compare the whole
  std::string commands_file;  // of --command-for-each
  std::vector<std::string> record_options;
  std::vector<std::string> diff_args;  // options of the comparison, for ReadComparison
  DiffCommand diff;                    // without files

  bool per_test() const { return !harness.empty(); }
  size_t fresh_pairs() const { return confirm.value_or(std::max(pairs, kMinFreshPairs)); }
};

inline constexpr char kCiRunCommand[] = "gprof-x ci run";

// Parses all options except those of the comparison.
Result<CiRun> ParseCiRun(const std::vector<std::string>& args);

// Fills run.diff. Checks that output files can be written, so their folder must exist.
Status ReadComparison(CiRun& run);

// Returns the command of a side: the words, or a shell that runs the side's line with the words
// appended.
std::vector<std::string> CommandOf(const CiRun& run, const CiSide& side);

// Parses "90", "90s", "15m" or "1.5h"; returns seconds.
std::optional<double> ParseTime(const std::string& text);

// The base runs first in pair 0, the head in pair 1: ABBA, so that drift affects both equally.
inline bool HeadIsFirst(size_t pair) { return pair % 2 != 0; }

// Returns the name of a run: "03" for index 2 of 12. Leading zeros make the names sort in the order
// of the runs.
std::string RunName(size_t index, size_t count);

}  // namespace gprofx
