// What all views share: the metric, its base, the folded tree and the filters, worked out once per
// report.
#pragma once

#include <string>

#include "cli/report/call_tree.h"
#include "cli/report/data_quality.h"
#include "cli/report/gpu_quality.h"
#include "cli/report/group.h"
#include "cli/report/report.h"
#include "core/profile.h"
#include "core/result.h"

namespace gprofx {

struct Analysis {
  const Profile& profile;
  const ReportOptions& options;
  const ReportSurroundings& around;
  DataQuality quality;
  GpuQuality gpu;
  TreeRequest request;
  Metric metric;
  int64_t base = 0;  // sum of the metric over the whole profile: 100 %
  CallTree tree;     // keys are frames; tree.nodes[0].total = what the filters keep
};

Result<Analysis> Analyse(const Profile& profile, const ReportOptions& options,
                         const ReportSurroundings& around);

// "CPU time", "wall time", "samples": what 100 % is.
std::string WholeName(const Metric& metric);

size_t Limit(const Analysis& analysis, size_t usual);

// Self per thread of the stacks that the filters keep, in one metric; [0] is time without a thread.
std::vector<int64_t> SelfByThread(const Analysis& analysis, MetricId metric);

std::string_view MetaText(const Profile& profile, const char* name);  // "" where there is none

}  // namespace gprofx
