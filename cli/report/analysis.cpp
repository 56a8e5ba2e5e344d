#include "cli/report/analysis.h"

#include <tuple>
#include <utility>

#include "cli/terminal/text.h"
#include "core/arithmetic.h"

namespace gprofx {
namespace {

Result<MetricId> ChooseMetric(const Profile& profile, const std::string& asked) {
  if (!asked.empty()) {
    if (const MetricId found = profile.FindMetric(asked)) return found;
    std::string known;
    for (const Metric& metric : profile.metrics) {
      if (known.size() > 200) break;
      known += (known.empty() ? "" : ", ") + Printable(metric.name);
    }
    return Error{"no metric '" + Printable(asked) + "' in this profile",
                 known.empty() ? "it holds no metric at all" : "it holds: " + known};
  }
  const std::string clock(MetaText(profile, "clock"));
  for (const std::string& name : {clock, std::string("cpu"), std::string("samples")}) {
    if (const MetricId found = profile.FindMetric(name)) return found;
  }
  return MetricId{profile.metrics.empty() ? 0u : 1u};
}

}  // namespace

std::string_view MetaText(const Profile& profile, const char* name) {
  const auto found = profile.meta.find(name);
  return found == profile.meta.end() ? std::string_view() : std::string_view(found->second);
}

std::string WholeName(const Metric& metric) {
  if (metric.name == "cpu") return "CPU time";
  if (metric.name == "cpu_gil") return "CPU time with the GIL";
  if (metric.name == "cpu_nogil") return "CPU time without the GIL";
  if (metric.name == "wall" || metric.name == "idle") return metric.name + " time";
  if (metric.name == kMetricGpu) return "GPU time";
  if (metric.name == kMetricGpuOps) return "GPU operations";
  if (metric.name == kMetricGpuWait) return "waiting for the GPU";
  if (metric.name == kMetricPcSamples) return "PC samples";
  if (metric.name == kMetricPcLatency) return "PC samples without an issue";
  const std::string stall = kMetricStallPrefix;
  if (metric.name.rfind(stall, 0) == 0) {
    return "PC samples in " + Printable(metric.name.substr(stall.size())) + " stalls";
  }
  return Printable(metric.name);
}

size_t Limit(const Analysis& analysis, size_t usual) {
  return analysis.options.limit.value_or(usual);
}

Result<Analysis> Analyse(const Profile& profile, const ReportOptions& options,
                         const ReportSurroundings& around) {
  Analysis analysis{profile, options, around, AssessQuality(profile), AssessGpu(profile)};
  const Result<MetricId> metric = ChooseMetric(profile, options.metric);
  if (!metric) return metric.error();
  analysis.request.metric = *metric;
  analysis.request.all_frames = options.all_frames;
  if (*metric) analysis.metric = profile.metrics[metric->index()];
  for (const auto& [name, expression, pattern] :
       {std::tuple{"--focus", &options.focus, &analysis.request.focus},
        std::tuple{"--ignore", &options.ignore, &analysis.request.ignore}}) {
    if (expression->empty()) continue;
    Result<Pattern> compiled = Pattern::Compile(name, *expression);
    if (!compiled) return compiled.error();
    *pattern = std::move(*compiled);
  }
  analysis.base = MetricSum(profile, *metric);
  analysis.tree = BuildCallTree(profile, analysis.request);
  return analysis;
}

std::vector<int64_t> SelfByThread(const Analysis& analysis, MetricId metric) {
  const Profile& profile = analysis.profile;
  std::vector<int64_t> self(profile.threads.size() + 1);
  if (!metric) return self;
  const std::vector<uint8_t> kept = KeptStacks(profile, analysis.request);
  for (const Value& value : profile.values) {
    if (value.metric != metric || !value.node || kept[value.node.index()] == 0) continue;
    int64_t& sum = self[value.thread.value];
    sum = AddSaturated(sum, value.self);
  }
  return self;
}

}  // namespace gprofx
