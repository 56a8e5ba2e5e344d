// gprof-x analyze: prints the analyses A1 to A15 of a profile as text, JSON or CSV
// (core/analyses/analyses.h). They relate steps, layers, operators and kernels. The answers to
// --what-if are in cli/analyze/what_if.h.
//
// The printers are pure: they turn tables into text and compute no numbers.
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
  std::string part;  // the shown range, such as "the steady part"; "" = the whole recording
  std::vector<analyses::Analysis> analyses;
  std::vector<FileFindings> findings;  // empty if no search for findings was requested
  // Maps the full name of a kernel to its name in reports.
  std::unordered_map<std::string, std::string> kernel_names;
};

struct AnalysisTextOptions {
  size_t most_rows = 20;
  bool wide = false;
};

std::string AnalysesText(const AnalysisReport& report, const Screen& screen,
                         const AnalysisTextOptions& options);
std::string AnalysesJson(const AnalysisReport& report);
// Returns all tables as CSV, each with a line of column names above it. The first two columns of
// every table are the name of the analysis and the row number.
std::string AnalysesCsv(const AnalysisReport& report);

std::span<const OptionSpec> AnalyzeOptionSpecs();
std::string AnalyzeHelp(Help which = Help::kAll);
int RunAnalyze(const std::vector<std::string>& args);

}  // namespace gprofx
