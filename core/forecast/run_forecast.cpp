#include "core/forecast/run_forecast.h"

#include <algorithm>
#include <cmath>

#include "core/base/arithmetic.h"
#include "core/base/format.h"
#include "core/forecast/collective.h"
#include "core/forecast/run_carrier.h"
#include "core/forecast/run_sums.h"
#include "core/gpu/collective_frames.h"
#include "core/gpu/gpu.h"

namespace gprofx::forecast {
namespace {

// Machines with the same GPU differ in host speed by up to this factor.
constexpr double kHostSpread = 1.15;
// Standard errors on both sides of the mean that contain 80 % of a normal distribution.
constexpr double k80 = 1.2816;
// A GPU can cool down if it is busy for a smaller fraction of the time than this.
constexpr double kRests = 0.7;

struct Lengths {
  std::vector<int64_t> low, high;  // by node
};

// Returns the length of one mean step as a fraction of the chain. The chain runs through all steps,
// including those that the trimmed mean leaves out.
double PartOfChain(const StepRun& run, int64_t step_ns) {
  double chain = 0;
  for (const int64_t ns : run.chain) chain += static_cast<double>(ns);
  return chain > 0 ? static_cast<double>(step_ns) / chain : 0;
}

// Returns the relative standard error of the time of all GPU work. It is 0 if GPU work was recorded
// all the time.
double EstimateError(const Profile& profile) {
  const MetricId time = profile.FindMetric(kMetricGpuEstimated);
  const MetricId error = profile.FindMetric(kMetricGpuError);
  if (!time || !error) return 0;
  double all = 0, squares = 0;
  for (const Value& value : profile.values) {
    const auto ns = static_cast<double>(value.self);
    if (value.metric == time) all += ns;
    if (value.metric == error) squares += ns * ns;
  }
  return all > 0 ? std::min(std::sqrt(squares) / all, 1.0) : 0;
}

std::string Factor(double factor) { return Format("%.3g", factor); }

}  // namespace

RecordedRun::RecordedRun(const Profile& profile, const ReplayEvents& events,
                         const RecordedKernels& kernels, std::span<const LevelWindow> windows)
    : profile_(profile),
      kernels_(kernels),
      steps_(MakeStepGraphs(profile, events, windows, true)),
      collective_(CommunicationFrames(profile)) {
  int64_t traced = 0, all = 0;
  for (const LevelWindow& window : windows) {
    const int64_t length = SubtractSaturated(window.end, window.begin);
    all = AddSaturated(all, length);
    if (window.traced) traced = AddSaturated(traced, length);
  }
  if (all > 0) traced_ = static_cast<double>(traced) / static_cast<double>(all);
  estimate_error_ = EstimateError(profile);
}

RecordedForecast RecordedRun::Forecast(const ForecastTable& table, const Device& source,
                                       const Device& target, const RunOptions& options) const {
  RecordedForecast out;
  RunCarrier carrier(profile_, kernels_, table, source, target, options.gpus, options.change);
  RunSums sums(profile_, kernels_);
  const double recorded = options.recorded.factor;
  std::vector<ReplayModel> models = steps_.Models(recorded);
  const StepRun now = RunSteps(profile_, steps_, models, collective_);
  std::vector<Lengths> ends(models.size());
  for (size_t k = 0; k < models.size(); ++k) {
    const ReplayGraph& graph = steps_.graphs[k];
    models[k].host_factor = recorded / options.host_speed;
    ends[k].low = ends[k].high = models[k].length;
    for (uint32_t i = 0; i < graph.nodes().size(); ++i) {
      const ReplayNode& node = graph.nodes()[i];
      if (node.kind != ReplayNode::kOperation) continue;
      const ReplayOperation& operation = graph.events().operations[node.event];
      const CarriedWork carried = carrier.Carry(operation);
      models[k].length[i] = carried.ns;
      ends[k].low[i] = carried.low_ns;
      ends[k].high[i] = carried.high_ns;
      const uint32_t step = graph.step_of(i);
      if (step == 0 || step >= graph.bounds().size()) continue;
      sums.Add(operation, node.length, carried, carrier.What(operation));
    }
  }
  const StepRun then = RunSteps(profile_, steps_, models, collective_);
  out.steps = static_cast<int64_t>(now.steps.size());
  out.now_ns = now.step_ns();
  out.recorded_ns = recorded == 1 ? out.now_ns : StepWith(steps_, 1);
  out.step_ns = StepLike(now, then);
  out.busy_now = now.busy();
  out.busy_then = then.busy();
  out.limit_now = now.limit();
  out.limit_then = then.limit();
  const int64_t steps = std::max<int64_t>(out.steps, 1);
  out.work_now_ns = sums.now_ns() / steps;
  out.work_then_ns = sums.then_ns() / steps;
  const double now_part = PartOfChain(now, out.now_ns);
  const double then_part = PartOfChain(then, out.step_ns);
  for (size_t i = 0; i < kReplayLinks; ++i) {
    if (now.chain[i] == 0 && then.chain[i] == 0) continue;
    const ReplayLinkName& name = NameOf(static_cast<ReplayLink>(i));
    out.parts.push_back({name.id, name.title,
                         std::llround(now_part * static_cast<double>(now.chain[i])),
                         std::llround(then_part * static_cast<double>(then.chain[i]))});
  }
  const bool is_same = carrier.is_same();
  const bool same_host = IsSameDevice(source, target) && options.host_speed == 1;
  const double spread = same_host ? 1 : kHostSpread;
  const auto step_with = [&](std::vector<int64_t> Lengths::*lengths, double host) {
    for (size_t k = 0; k < models.size(); ++k) {
      models[k].length = ends[k].*lengths;
      models[k].host_factor = host * recorded / options.host_speed;
    }
    return StepLike(now, TimeSteps(steps_, models));
  };
  out.low_ns = std::min(out.step_ns, step_with(&Lengths::low, 1 / spread));
  out.high_ns = std::max(out.step_ns, step_with(&Lengths::high, spread));
  const double estimate = 1 + (is_same ? 0 : k80 * estimate_error_);
  out.low_ns = std::llround(static_cast<double>(out.low_ns) / estimate);
  out.high_ns = std::llround(static_cast<double>(out.high_ns) * estimate);
  out.shares = sums.Shares(steps);
  out.nodes = sums.Nodes();
  if (!is_same) out.untold = sums.WhatIsUntold(target, out.shares);
  Say(source, target, options, out);
  return out;
}

void RecordedRun::Say(const Device& source, const Device& target, const RunOptions& options,
                      RecordedForecast& out) const {
  std::vector<std::string>& says = out.assumed;
  if (!steps_.passes.empty()) {
    says.push_back("no steps were found; a step is from one launch by " + steps_.passes +
                   " to the next");
  }
  if (steps_.whole) {
    says.push_back(
        "no steps were found, so the time from the first launch to the end of the last work is one "
        "step; NVTX ranges with numbers mark steps");
  } else if (out.steps == 1) {
    says.push_back("other steps are like the only one that was recorded");
  }
  if (!options.recorded.said.empty()) says.push_back(options.recorded.said);
  if (options.host_speed != 1) {
    says.push_back("the host is " + Factor(options.host_speed) +
                   " times as fast as the recorded one");
  } else if (!IsSameDevice(source, target)) {
    says.push_back(
        "the host is as fast as the recorded one, within 15 %; --host-speed sets another speed");
  }
  if (traced_ < 1) {
    says.push_back("steps with records of GPU work, " + Factor(100 * traced_) +
                   " % of the run, stand for all; the time of all GPU work " + "is known within " +
                   Factor(100 * k80 * estimate_error_) + " %");
  }
  const RunChange& change = options.change;
  if (change.batch != 1) {
    says.push_back("the host takes as long for a batch that is " + Factor(change.batch) +
                   " times as large, its data arrive in time, and memory suffices; the work of the "
                   "optimizer and collectives does not change");
  }
  if (change.type) {
    says.push_back("all products and activations are " + std::string(NumberTypeWord(*change.type)) +
                   (*change.type == NumberType::kFp8 ? " (activations 16 bits)" : "") +
                   "; kernels that cast them stay");
  }
  if (IsSameDevice(source, target)) return;
  for (const Device* device : {&source, &target}) {
    if (!RatesOf(*device, NumberType::kBf16).measured &&
        !RatesOf(*device, NumberType::kFp32).measured) {
      says.push_back("the sustained rates of " + device->name +
                     " are those of GPUs of its class, because they were not measured");
    }
  }
  const bool collectives = std::any_of(out.parts.begin(), out.parts.end(), [](const RunPart& part) {
    return part.id == NameOf(kCollectives).id;
  });
  if (collectives) {
    says.push_back(std::to_string(options.gpus) + " GPUs take part in collectives");
    if (const std::string beyond = BeyondNodeNote(target, options.gpus); !beyond.empty()) {
      says.push_back(beyond);
    }
  }
  if (target.memory_gb > 0 && target.memory_gb < source.memory_gb) {
    says.push_back("the run fits into the " + Factor(target.memory_gb) + " GB of " + target.name);
  }
  if (out.busy_then >= kMaxOf && out.busy_now < kRests) {
    says.push_back("a GPU that works all the time keeps its clock rate");
  }
  int64_t guessed = 0;
  for (const ReplayGraph& graph : steps_.graphs) guessed += graph.guessed_edges();
  if (guessed > 0) {
    says.push_back(std::to_string(guessed) +
                   " operations wait for another stream because they began right after its work: "
                   "events between streams are not in the profile");
  }
}

}  // namespace gprofx::forecast
