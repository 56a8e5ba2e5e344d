// Reads recordings for `gprof-x analyze` and runs the analyses and finding detectors. Blocking; any
// thread.
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
  bool findings = false;  // also search for findings
};

// Parses the arguments of `gprof-x analyze`. Ignores the output format.
Result<AnalysisRequest> ParseAnalysisRequest(const std::vector<std::string>& args);

// Reads all files and analyzes them. Calls `reading` with the name of each file before the file is
// read.
Result<AnalysisReport> ReadAnalyses(const AnalysisRequest& request,
                                    const std::function<void(const std::string&)>& reading);

}  // namespace gprofx
