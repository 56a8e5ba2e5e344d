// gprof-x analyze: the across-stack analyses and breakdowns of a profile as text, JSON or CSV;
// answers of
// --what-if are in cli/analyze/what_if.h.
//
// The printers are pure: tables in, text out. They make words of numbers and add nothing up.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/analyze/findings.h"
#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/analyses/table.h"

namespace gprofx {

struct AnalysisReport {
  std::vector<std::string> files;
  std::string part;  // what of the recording is shown: "the steady part"; "" = all of it
  std::vector<analyses::Analysis> analyses;
  std::vector<FileFindings> findings;  // empty: were not looked for
  // What reports call the kernels, by their full names.
  std::unordered_map<std::string, std::string> kernel_names;
};

struct AnalysisTextOptions {
  size_t most_rows = 20;
  bool wide = false;
};

std::string AnalysesText(const AnalysisReport& report, const Screen& screen,
                         const AnalysisTextOptions& options);
std::string AnalysesJson(const AnalysisReport& report);
// One table after the other, each with a line of its column names; the first two columns of all are
// the name of the analysis and the number of the row.
std::string AnalysesCsv(const AnalysisReport& report);

std::span<const OptionSpec> AnalyzeOptionSpecs();
std::string AnalyzeHelp();
int RunAnalyze(const std::vector<std::string>& args);

}  // namespace gprofx
