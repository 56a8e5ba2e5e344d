// gprof-x doctor: can this machine record, what will be missing, and the command that fixes each
// point.
//
// Checks look at the machine and change nothing. Exit status: 0 when recording works, 2 when it
// does not.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/doctor/checks.h"
#include "cli/options.h"
#include "cli/terminal/screen.h"

namespace gprofx {

std::string DoctorText(const std::vector<Check>& checks, const Screen& screen);
// One sh script of what would mend the checks that are not ok; what needs a decision is a comment.
std::string DoctorFixScript(const std::vector<Check>& checks);
std::string DoctorJson(const std::vector<Check>& checks);

std::span<const OptionSpec> DoctorOptionSpecs();
std::string DoctorHelp();
int RunDoctor(const std::vector<std::string>& args);

}  // namespace gprofx
