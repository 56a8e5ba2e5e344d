// gprof-x report --html: makes the page of one or several profiles and writes it to a file.
#pragma once

#include <string>

#include "cli/report/report.h"
#include "core/model/profile.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Writes the page to command.html; "-" is standard output. `profile` is the whole run of `source`,
// with its phases. The page names the files in command.files. Errors are one line.
Status WriteHtml(const ProfileSource& source, Profile& profile, const ReportCommand& command);

// Fails if the output file must not be overwritten. Must be called before anything is read.
Status CheckHtml(const ReportCommand& command);

}  // namespace gprofx
