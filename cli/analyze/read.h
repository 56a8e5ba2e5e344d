// The analyses and findings of recordings, read from their files. Blocking; any thread.
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
  bool findings = false;  // are looked for
};

// What the arguments of `gprof-x analyze` ask for, whatever prints it.
Result<AnalysisRequest> ParseAnalysisRequest(const std::vector<std::string>& args);

// `reading` is called with each file before it is read.
Result<AnalysisReport> ReadAnalyses(const AnalysisRequest& request,
                                    const std::function<void(const std::string&)>& reading);

}  // namespace gprofx
