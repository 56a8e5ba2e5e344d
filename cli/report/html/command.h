// gprof-x report --html: makes the page of one or several profiles and writes it.
#pragma once

#include <string>

#include "cli/report/report.h"
#include "core/model/profile.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// To command.html; "-" is standard output. The profile is that of the source, of the whole run,
// with its phases; command.files are the names that the page may show. The error is one line.
Status WriteHtml(const ProfileSource& source, Profile& profile, const ReportCommand& command);

// That what command.html names may be written over. To be asked before anything is read.
Status CheckHtml(const ReportCommand& command);

}  // namespace gprofx
