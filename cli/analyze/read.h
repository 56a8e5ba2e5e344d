// Reads recordings and runs analyses and finding detectors on them. Blocking; any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/analyze/analyze.h"
#include "core/analyses/analyses.h"
#include "core/base/result.h"
#include "core/slice/part.h"

namespace gprofx {

struct AnalysisRequest {
  std::vector<const analyses::AnalysisKind*> kinds;
  std::vector<std::string> files;
  PartQuery part;
  bool redact = false;
  bool findings = false;  // search for findings, too
};

// Parses the arguments of `gprof-x analyze`, whatever the output format.
Result<AnalysisRequest> ParseAnalysisRequest(const std::vector<std::string>& args);

// Calls `reading` with the name of each file before reading it.
Result<AnalysisReport> ReadAnalyses(const AnalysisRequest& request,
                                    const std::function<void(const std::string&)>& reading);

}  // namespace gprofx
