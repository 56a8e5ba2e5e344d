// Prints the inefficiencies that `gprof-x analyze` found as text, JSON and SARIF. The printers are
// pure and compute no numbers.
#pragma once

#include <string>
#include <vector>

#include "cli/diff/outputs/place.h"
#include "cli/json_text.h"
#include "cli/terminal/screen.h"
#include "core/base/result.h"
#include "core/findings/findings.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// The findings in the recording `file`.
struct FileFindings {
  std::string file;
  findings::FindingReport report;
};

// Runs the detectors. Reads the data that they need in addition to `context` from `source`.
Result<findings::FindingReport> ReadFindings(const ProfileSource& source,
                                             const analyses::AnalysisContext& context);

// Finds inefficiencies in the default range of a finished profile, and writes them to its table
// `finding`, replacing existing rows. A report can then print them without searching.
Status StoreFindings(const std::string& path);

// Returns a line that says what was analyzed, and how much all findings can save together or why
// there are none.
std::string FindingsHeadText(const findings::FindingReport& report);
// Returns the saving of a finding, such as "at most 14.5 ms a step, 36.0%". If the recording has
// collectives, omits "at most", because the saving may then be larger.
std::string SavingText(const findings::Inefficiency& row, const findings::FindingReport& report);
std::string FindingsText(const std::vector<FileFindings>& runs, const Screen& screen, bool wide);
// Explains one finding: its evidence, method, advice and place. `id` is "F2" or "f2"; each
// recording numbers its findings from F1. If there is no such finding, the error lists the valid
// ids.
Result<std::string> ExplainText(const FileFindings& run, const std::string& id,
                                const Screen& screen);
Json FindingsJson(const std::vector<FileFindings>& runs);
std::string FindingsSarif(const std::vector<FileFindings>& runs, const OutputPlace& place);
// Returns the working directory, relative to which SARIF names files.
OutputPlace PlaceOfFindings();
std::string RulesText(const Screen& screen);

}  // namespace gprofx
