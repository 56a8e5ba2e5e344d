// gprof-x report --html: makes the page of one or several profiles and writes it.
#pragma once

#include <string>

#include "cli/report/report.h"
#include "formats/profile_set.h"

namespace gprofx {

// To command.html; "-" is standard output. `profiles` are of the whole run, with their phases. The
// error is one line.
Status WriteHtml(ProfileSet& profiles, const ReportCommand& command);

// That what command.html names may be written over. To be asked before anything is read.
Status CheckHtml(const ReportCommand& command);

}  // namespace gprofx
