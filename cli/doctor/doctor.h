// gprof-x doctor: checks whether this machine can record. Lists the data that would be missing and
// a fix for each problem, but changes nothing. The exit status is 0 if recording works, otherwise
// 2; with --fix it is 0 in both cases.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/doctor/checks.h"
#include "cli/options.h"
#include "cli/terminal/screen.h"

namespace gprofx {

std::string DoctorText(const std::vector<Check>& checks, const Screen& screen);
// Returns an sh script that fixes the problems in `checks`. A fix that a person must decide on is a
// comment.
std::string DoctorFixScript(const std::vector<Check>& checks);
std::string DoctorJson(const std::vector<Check>& checks);

std::span<const OptionSpec> DoctorOptionSpecs();
std::string DoctorHelp();
int RunDoctor(const std::vector<std::string>& args);

}  // namespace gprofx
