// Makes A1 and A15: tables with one row for the whole run.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/analyses/parts.h"
#include "core/analyses/runs.h"
#include "core/analyses/shown.h"
#include "core/analyses/step_time.h"
#include "core/analyses/work.h"
#include "core/base/arithmetic.h"

namespace gprofx::analyses {
namespace {

// Returns the size in a label such as "BS=8": the positive whole number after `=`. Returns 0 for
// other labels.
double SweptNumber(const std::string& label) {
  const size_t equals = label.find('=');
  if (equals == std::string::npos) return 0;
  int64_t number = 0;
  const char* end = label.data() + label.size();
  const auto read = std::from_chars(label.data() + equals + 1, end, number);
  return read.ec == std::errc() && read.ptr == end && number > 0 ? static_cast<double>(number) : 0;
}

int64_t AllDevices(int64_t ns, int64_t devices) {
  int64_t all = 0;
  return __builtin_mul_overflow(ns, devices, &all) ? INT64_MAX : all;
}

}  // namespace

void ModelInformation(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"run", "run", CellUnit::kPath},
                 {"steps", "steps", CellUnit::kCount},
                 {"step_ns", "step", CellUnit::kNs},
                 {"low_ns", "low", CellUnit::kNs},
                 {"high_ns", "high", CellUnit::kNs},
                 {"steps_per_s", "steps/s", CellUnit::kNumber},
                 {kItemsPerSecond, "items/s", CellUnit::kNumber}};
  const std::vector<int64_t> lengths = StepLengths(context);
  if (lengths.empty()) {
    out.reason = "no steps were found " + InWhatIsShown(context.profile);
    return;
  }
  const StepTime step = StepTimeOf(lengths);
  AnalysisCell low, high, items;
  if (step.half_width_ns > 0) {
    low = int64_t{std::llround(step.mean_ns - step.half_width_ns)};
    high = int64_t{std::llround(step.mean_ns + step.half_width_ns)};
  }
  const double swept = SweptNumber(context.label);
  if (swept > 0 && step.mean_ns > 0) items = swept * 1e9 / step.mean_ns;
  out.rows.push_back({context.label, static_cast<int64_t>(lengths.size()),
                      std::llround(step.mean_ns), low, high,
                      step.mean_ns > 0 ? AnalysisCell(1e9 / step.mean_ns) : AnalysisCell(), items});
  out.notes.push_back(
      step.is_uneven
          ? "step: mean; a few steps are much longer than most, as happens if the host runs ahead"
          : "step: mean without the longest and shortest fifth, with its 95% interval");
}

void KernelsByModel(const AnalysisContext& context, Analysis& out) {
  out.columns = {{"run", "run", CellUnit::kPath},
                 {"steps", "steps", CellUnit::kCount},
                 {"kernels", "kernels", CellUnit::kCount},
                 {"kernel_ns", "kernel time", CellUnit::kNs},
                 {"gpu_busy_ns", "GPU busy", CellUnit::kNs},
                 {"busy_share", "%busy", CellUnit::kShare},
                 {"largest_share", "largest", CellUnit::kShare},
                 {"flop", "FLOP", CellUnit::kFlop, false},
                 {"bytes", "bytes", CellUnit::kBytes, false},
                 {"known_share", "%known", CellUnit::kShare, false}};
  if (!NeedsGpu(context, out)) return;
  int64_t kernels = 0, largest = 0;
  for (const LevelSum& sum : context.kernels) {
    kernels = AddSaturated(kernels, sum.kernels);
    largest = std::max(largest, sum.kernel_ns);
  }
  const auto all_busy = BusyByLayer(context);
  const auto found = all_busy.find(0);
  const int64_t busy = found == all_busy.end() ? 0 : found->second;
  int64_t wall = 0;
  if (!context.profile.phases.trains.empty()) {
    for (const int64_t step : StepLengths(context)) wall = AddSaturated(wall, step);
  }
  const size_t all_devices = context.profile.gpu.devices.size();
  const auto devices = static_cast<int64_t>(std::max<size_t>(all_devices, 1));
  AnalysisCell busy_ns, busy_share;
  if (!context.is_estimated) {
    busy_ns = context.PerStep(busy);
    busy_share = Share(busy, AllDevices(wall, devices));
  }
  out.rows.push_back({context.label, context.steps, context.PerStep(kernels),
                      context.PerStep(context.kernel_ns), busy_ns, busy_share,
                      Share(largest, context.kernel_ns)});
  int64_t flop = 0, bytes = 0, known = 0;
  const std::vector<WorkOfNode> work = FindWork(context);
  for (const WorkOfNode& node : work) {
    flop = AddSaturated(flop, node.flop);
    bytes = AddSaturated(bytes, node.bytes);
    known = AddSaturated(known, node.kernel_ns);
  }
  for (const int64_t sum : {flop, bytes}) {
    AnalysisCell& cell = out.rows.back().emplace_back();
    if (!work.empty()) cell = context.PerStep(sum);
  }
  out.rows.back().push_back(work.empty() ? AnalysisCell()
                                         : KnownShare(context, known, context.kernel_ns));
  NoteSteps(context, out);
  out.notes.push_back(
      "%busy: share of the time of the steps on all GPUs; largest: the kernel with the most time");
  if (!work.empty()) out.notes.push_back(WorkNote(context, work));
}

}  // namespace gprofx::analyses
