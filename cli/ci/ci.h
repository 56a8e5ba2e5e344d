// gprof-x ci: finds slowdowns in a CI pipeline. It has three subcommands:
//
//   run       records two versions alternately, compares them, and repeats if one is slower
//   baseline  stores recordings of a version, to compare later versions with
//   history   finds which of many versions changed something
//
// The exit status of `run` is that of `gprof-x diff`, or 130 after Ctrl-C.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"

namespace gprofx {

std::span<const OptionSpec> CiOptionSpecs();  // those of all three subcommands
std::string CiHelp();
int RunCi(const std::vector<std::string>& args);

// Run a subcommand. `args` are the arguments after its name. Return the exit status.
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
