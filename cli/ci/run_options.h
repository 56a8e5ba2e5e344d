// What the command line of `gprof-x ci run` means. Pure but for ReadComparison.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/diff/diff.h"
#include "core/base/result.h"

namespace gprofx {

// Fewer would leave a real regression unconfirmed for lack of evidence.
inline constexpr size_t kMinFreshPairs = 3;

struct CiSide {
  std::string command;  // a line for the shell; "" = the words behind "--" are the command
  std::string folder;   // to run it in; "" = the current one
};

struct CiRun {
  bool help = false;
  CiSide base, head;
  std::vector<std::string> words;  // behind "--"
  std::string baseline;            // "" = the base is recorded
  size_t pairs = 5;
  size_t warm_up = 1;             // pairs that are recorded first and not compared
  std::optional<size_t> confirm;  // fresh pairs; as many as `pairs` where it was not given
  double time_limit_s = 0;        // 0 = none
  std::string output = "gprof-x-ci";
  bool force = false, show_output = false, ignore_failures = false;
  std::vector<std::string> record_options;
  std::vector<std::string> diff_args;  // options of the comparison, for ReadComparison
  DiffCommand diff;                    // without files

  size_t fresh_pairs() const { return confirm.value_or(std::max(pairs, kMinFreshPairs)); }
};

// All but the options of the comparison.
Result<CiRun> ParseCiRun(const std::vector<std::string>& args);

// Fills run.diff. Files that are to be written are asked for, so their folder must be there.
Status ReadComparison(CiRun& run);

// What a side executes: the words, or a shell with the line, to which the words are added.
std::vector<std::string> CommandOf(const CiRun& run, const CiSide& side);

// "90", "90s", "15m", "1.5h" in seconds.
std::optional<double> ParseTime(const std::string& text);

// In pair 0 the base is first, in pair 1 the head: ABBA, so that what drifts hits both alike.
inline bool HeadIsFirst(size_t pair) { return pair % 2 != 0; }

// "03" of 12: names in the order of the runs.
std::string RunName(size_t index, size_t count);

}  // namespace gprofx
