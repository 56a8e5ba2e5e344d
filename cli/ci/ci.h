// gprof-x ci: what a pipeline runs to be told what got slower.
//
//   run       records two versions in turns, compares them and asks again where one is slower
//   baseline  keeps recordings of a version for the comparisons of later ones
//   history   tells which of many versions changed something
//
// Exit status of `run` is that of `gprof-x diff`; 130 after Ctrl-C.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> CiOptionSpecs();  // of all three, for completion
std::string CiHelp();
int RunCi(const std::vector<std::string>& args);

// `args` are those behind the word.
int RunCiRun(const std::vector<std::string>& args);
int RunCiBaseline(const std::vector<std::string>& args);
int RunCiHistory(const std::vector<std::string>& args);

std::span<const OptionSpec> CiRunOptionSpecs();
std::span<const OptionSpec> CiBaselineOptionSpecs();
std::span<const OptionSpec> CiHistoryOptionSpecs();
std::string CiRunHelp();
std::string CiBaselineHelp();
std::string CiHistoryHelp();

}  // namespace gprofx
