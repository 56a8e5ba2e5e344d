// gprof-x analyze: prints the analyses A1 to A15 of a profile (core/analyses/analyses.h), which
// relate steps, layers, operators and kernels, as text, JSON or CSV. Answers to --what-if are in
// cli/analyze/what_if.h.
//
// The printers are pure: tables in, text out. They format numbers and compute none.
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
  std::string part;  // shown range: "the steady part"; "" = all of it
  std::vector<analyses::Analysis> analyses;
  std::vector<FileFindings> findings;  // empty: not searched for
  // Full name of a kernel -> its name in reports.
  std::unordered_map<std::string, std::string> kernel_names;
};

struct AnalysisTextOptions {
  size_t most_rows = 20;
  bool wide = false;
};

std::string AnalysesText(const AnalysisReport& report, const Screen& screen,
                         const AnalysisTextOptions& options);
std::string AnalysesJson(const AnalysisReport& report);
// Returns one table after the other, each preceded by a line of column names. The first two columns
// of every table are the name of the analysis and the row number.
std::string AnalysesCsv(const AnalysisReport& report);

std::span<const OptionSpec> AnalyzeOptionSpecs();
std::string AnalyzeHelp(Help which = Help::kAll);
int RunAnalyze(const std::vector<std::string>& args);

}  // namespace gprofx
