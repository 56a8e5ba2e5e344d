// gprof-x report --html: makes and writes the page of one or several profiles.
#pragma once

#include <string>

#include "cli/report/report.h"
#include "core/model/profile.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Writes the page to command.html; "-" is standard output. `profile` is the whole run of `source`,
// with its phases. command.files are the names that the page may show. Errors are one line.
Status WriteHtml(const ProfileSource& source, Profile& profile, const ReportCommand& command);

// Checks that the output may be overwritten. Call before reading anything.
Status CheckHtml(const ReportCommand& command);

}  // namespace gprofx
