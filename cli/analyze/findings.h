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

// Findings of one recording.
struct FileFindings {
  std::string file;
  findings::FindingReport report;
};

// Reads the data that detectors need in addition to `context`, and runs the detectors.
Result<findings::FindingReport> ReadFindings(const ProfileSource& source,
                                             const analyses::AnalysisContext& context);

// Finds inefficiencies in the range that is shown by default and writes them to table `finding` of
// a finished profile, so that a report can print them at no cost. Existing rows are replaced.
Status StoreFindings(const std::string& path);

// Returns what was analyzed and how much all findings save together, or why there are none.
std::string FindingsHeadText(const findings::FindingReport& report);
// Returns "at most 14.5 ms a step, 36.0%". Omits "at most" if the recording has collectives,
// because then the saving may be larger.
std::string SavingText(const findings::Inefficiency& row, const findings::FindingReport& report);
std::string FindingsText(const std::vector<FileFindings>& runs, const Screen& screen, bool wide);
// Explains finding `id` ("F2" or "f2"): evidence, method, advice, place. Ids are F1, F2, ... and
// are counted separately in each recording. If there is no finding `id`, the error lists the valid
// ids.
Result<std::string> ExplainText(const FileFindings& run, const std::string& id,
                                const Screen& screen);
Json FindingsJson(const std::vector<FileFindings>& runs);
std::string FindingsSarif(const std::vector<FileFindings>& runs, const OutputPlace& place);
// Returns the working directory as the root that file names in SARIF are relative to.
OutputPlace PlaceOfFindings();
std::string RulesText(const Screen& screen);

}  // namespace gprofx
