#include "core/compare/run.h"

#include <algorithm>
#include <numeric>

#include "core/compare/event_counts.h"
#include "core/compare/facts.h"
#include "core/compare/work.h"
#include "core/cost/profiling_time.h"
#include "core/model/processes.h"
#include "core/views/gpu/gpu_quality.h"
#include "core/views/quality.h"
#include "core/views/recording.h"
#include "core/views/steps.h"
#include "core/views/view.h"

namespace gprofx::compare {
namespace {

constexpr int64_t kFewestForSpread = 20;  // steps; p95 of fewer steps would be the maximum

// True if every launch, copy and call has a record, because GPU work was recorded all the time and
// no records were dropped.
bool CountsAreExact(const GpuQuality& gpu) {
  return gpu.counted_ns == 0 && gpu.records_dropped == 0 && gpu.stream_full == 0;
}

// Returns the id of the recording. If it has none, returns its host and start time.
std::string RecordingOf(const Profile& profile) {
  const std::string_view id = MetaText(profile, "recording_id");
  const std::string_view start = MetaText(profile, "start_realtime_ns");
  if (!id.empty() || start.empty()) return std::string(id);
  return std::string(MetaText(profile, "host")) + " " + std::string(start);
}

}  // namespace

bool RunReader::StepsSuffice(const Profile& profile) {
  return !profile.phases.trains.empty() && profile.phases.Find(PhaseKind::kSteady) != nullptr &&
         profile.quality.contains("cpu_accounted_ns") && profile.quality.contains("samples") &&
         profile.quality.contains("unsymbolized_ns") && CountsAreExact(AssessGpu(profile));
}

RunReader::RunReader(const Profile& profile, CodeView code)
    : profile_(profile), code_(code), counts_(std::make_unique<EventCounts>(profile, false)) {
  run_.has_whole = false;
  const Result<MetricId> metric = ChooseMetric(profile, "");
  if (metric && *metric) run_.metric = profile.metrics[metric->index()].name;
  const GpuQuality gpu = AssessGpu(profile);
  const DataQuality quality = AssessQuality(profile, gpu);
  run_.measured_ns = static_cast<double>(quality.measured);
  run_.accounted_ns = static_cast<double>(quality.accounted);
  run_.duration_ns = static_cast<double>(MetaNumber(profile, "duration_ns"));
  run_.complete = quality.complete;
  run_.counts_are_exact = CountsAreExact(gpu);
  run_.machine = MachineFacts(profile);
  run_.workload = WorkloadFacts(profile);
  run_.recording = RecordingOf(profile);
  if (!run_.counts_are_exact) run_.counts["calls that start GPU work"] = gpu.launches;
}

void RunReader::TakeWhole() {
  auto counts = std::move(run_.counts);
  static_cast<WorkDone&>(run_) = WorkOf(profile_, code_);
  run_.counts = std::move(counts);
  run_.has_whole = true;
}

RunReader::RunReader(RunReader&&) noexcept = default;
RunReader::~RunReader() = default;

bool RunReader::TakeSteps() {
  // With GPU work recorded only part of the time, GPU times are estimates, which exist only for the
  // whole run.
  if (!run_.counts_are_exact || profile_.phases.trains.empty() || !profile_.part ||
      profile_.part->phase != PhaseKind::kSteady || profile_.part->chosen) {
    return false;
  }
  const StepTrain& train = profile_.phases.trains.front();
  const StepNumbers numbers = NumbersOf(train);
  if (numbers.count <= numbers.warm_up || numbers.median_ns <= 0) return false;
  RunSteps& steps = run_.steps.emplace();
  steps.source = train.source;
  steps.steps = static_cast<int64_t>(numbers.count - numbers.warm_up);
  steps.step_ns = static_cast<double>(numbers.Uneven() ? numbers.mean_ns : numbers.median_ns);
  steps.work = WorkOf(profile_, code_);
  if (steps.steps >= kFewestForSpread) {
    steps.work.step_spread =
        static_cast<double>(numbers.p95_ns) / static_cast<double>(numbers.median_ns);
  }
  counts_ = std::make_unique<EventCounts>(profile_, true);
  return true;
}

std::span<const Stream> RunReader::Streams() { return EventCounts::Streams(); }

std::vector<size_t> RunReader::Columns(Stream stream) { return EventCounts::Columns(stream); }

void RunReader::Add(const EventTable& rows) {
  if (run_.counts_are_exact) counts_->Add(rows);
}

Run RunReader::Finish() {
  counts_->Whole(run_);
  if (run_.steps) counts_->EachStep(run_.steps->work);
  for (auto* list : {&run_.counts, &run_.sums}) {
    (*list)["processes"] = static_cast<int64_t>(CountProcesses(profile_));
    (*list)["threads"] = std::count_if(
        profile_.threads.begin(), profile_.threads.end(),
        [&](const Thread& thread) { return !IsOwnThread(profile_.Text(thread.name)); });
  }
  return std::move(run_);
}

}  // namespace gprofx::compare
