// What `gprof-x analyze` says of inefficiencies: text, JSON and SARIF. The printers are pure and
// add nothing up.
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

// Of one recording.
struct FileFindings {
  std::string file;
  findings::FindingReport report;
};

// Reads what detectors need beside `context` and runs them.
Result<findings::FindingReport> ReadFindings(const ProfileSource& source,
                                             const analyses::AnalysisContext& context);

// Finds them in the part that is usually shown and writes them to table `finding` of a finished
// profile, so that a report can tell them at no cost. Those that are there go.
Status StoreFindings(const std::string& path);

// Rows F1, F2, ...; of several recordings each has its own.
// "at most 14.5 ms a step, 36.0%"; beside collectives it may be more.
std::string SavingText(const findings::Inefficiency& row, const findings::FindingReport& report);
std::string FindingsText(const std::vector<FileFindings>& runs, const Screen& screen, bool wide);
// "F2" or "f2": evidence, method, advice, place. The error says which there are.
Result<std::string> ExplainText(const FileFindings& run, const std::string& id,
                                const Screen& screen);
Json FindingsJson(const std::vector<FileFindings>& runs);
std::string FindingsSarif(const std::vector<FileFindings>& runs, const OutputPlace& place);
// Files are relative to the working folder.
OutputPlace PlaceOfFindings();
std::string RulesText(const Screen& screen);

}  // namespace gprofx
