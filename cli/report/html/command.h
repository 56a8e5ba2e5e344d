// gprof-x report --html: reads a profile and writes the page.
#pragma once

#include <string>

#include "cli/report/report.h"

namespace gprofx {

// Writes the page of command.file to command.html; "-" is standard output. The error is one line.
Status WriteHtml(const ReportCommand& command);

}  // namespace gprofx
