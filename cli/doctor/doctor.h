// gprof-x doctor: checks whether this machine can record, what will be missing, and how to fix each
// problem.
//
// Checks change nothing. The exit status is 0 if recording works, else 2.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/doctor/checks.h"
#include "cli/options.h"
#include "cli/terminal/screen.h"

namespace gprofx {

std::string DoctorText(const std::vector<Check>& checks, const Screen& screen);
// Returns one sh script that fixes the checks that are not ok. Fixes that need a decision are
// comments.
std::string DoctorFixScript(const std::vector<Check>& checks);
std::string DoctorJson(const std::vector<Check>& checks);

std::span<const OptionSpec> DoctorOptionSpecs();
std::string DoctorHelp();
int RunDoctor(const std::vector<std::string>& args);

}  // namespace gprofx
