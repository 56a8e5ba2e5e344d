#include "cli/forecast/run.h"

#include <algorithm>
#include <map>
#include <set>

#include "cli/analyze/part_text.h"
#include "cli/terminal/text.h"
#include "core/base/arithmetic.h"
#include "core/slice/choose_part.h"
#include "formats/profile/profile_set.h"
#include "formats/reading/part_read.h"
#include "formats/reading/range_source.h"
#include "formats/reading/replay_read.h"

namespace gprofx {
namespace {

GpuDeviceId DeviceOf(const Profile& profile, const ReplayOperation& operation) {
  if (!operation.stream || operation.stream.value > profile.gpu.streams.size()) return {};
  const GpuContextId context = profile.gpu.streams[operation.stream.index()].context;
  return context ? profile.gpu.contexts[context.index()].device : GpuDeviceId{};
}

// Returns the devices that did work. The device with the most work comes first.
std::vector<GpuDeviceId> UsedDevices(const Profile& profile, const ReplayEvents& events) {
  std::map<GpuDeviceId, int64_t> time;
  for (const ReplayOperation& operation : events.operations) {
    int64_t& sum = time[DeviceOf(profile, operation)];
    sum = AddSaturated(sum, SubtractSaturated(operation.end, operation.start));
  }
  time.erase(GpuDeviceId{});
  std::vector<GpuDeviceId> out;
  for (const auto& [device, ns] : time) out.push_back(device);
  std::stable_sort(out.begin(), out.end(),
                   [&](GpuDeviceId a, GpuDeviceId b) { return time[a] > time[b]; });
  return out;
}

Result<const forecast::Device*> SourceDevice(const ForecastCommand& command, const Profile& profile,
                                             const std::vector<GpuDeviceId>& used,
                                             const std::vector<forecast::Device>& devices) {
  if (!command.from.empty()) return forecast::FindDevice(devices, command.from);
  std::set<std::string> names;
  for (const GpuDeviceId id : used) {
    names.insert(std::string(profile.Text(profile.gpu.devices[id.index()].name)));
  }
  names.erase("");
  names.erase("unknown GPU");  // importers give this name to a GPU without a name
  if (names.empty()) {
    return Error{ErrorId::kUnknownGpu,
                 "'" + command.recording + "' does not say which GPU it ran on",
                 "name it with --from DEVICE"};
  }
  if (names.size() > 1) {
    return Error{ErrorId::kUnknownGpu,
                 "'" + command.recording + "' ran on different GPUs: " + Printable(*names.begin()) +
                     " and " + Printable(*names.rbegin()),
                 "choose one for all with --from DEVICE"};
  }
  const Result<const forecast::Device*> device = forecast::FindDevice(devices, *names.begin());
  if (device) return device;
  return Error{ErrorId::kUnknownGpu,
               "'" + command.recording + "' ran on an unknown GPU, '" +
                   FitEnd(Printable(*names.begin()), 60) + "'",
               "name a similar GPU with --from DEVICE, or describe it with --device FILE"};
}

}  // namespace

Result<RecordingReport> ForecastRecording(const ForecastCommand& command,
                                          const std::vector<forecast::Device>& devices) {
  const Result<std::vector<const forecast::Device*>> targets = TargetDevices(command, devices);
  if (!targets) return targets.error();
  const Result<Prices> prices = ParsePrices(command.price, devices);
  if (!prices) return prices.error();
  Result<ProfileSet> profiles = ProfileSet::Open({command.recording});
  if (!profiles) return profiles.error();
  Profile& profile = profiles->profile();
  PartQuery part = command.part;
  if (!part.IsPart() && OnlyEventsHaveTimes(profile)) part.all = true;
  const Result<RangeSource> some = MiddleOf(*profiles, profile, kMaxLookedAt, part);
  if (!some) return some.error();
  const Result<ReplayEvents> events = ReadReplayEvents(*some);
  if (!events) return events.error();
  if (events->operations.empty()) {
    return Error{ErrorId::kNotRecorded, "'" + command.recording + "' contains no GPU work",
                 "record a program that uses a GPU, or import a trace of one"};
  }
  const std::vector<GpuDeviceId> used = UsedDevices(profile, *events);
  const Result<const forecast::Device*> source = SourceDevice(command, profile, used, devices);
  if (!source) return source.error();
  // Make this before a range is selected, because it needs the whole recording.
  const forecast::RecordedKernels kernels(profile, *events);
  if (Status selected = SelectPart(*some, part, profile); !selected) return selected.error();
  const Result<std::vector<LevelWindow>> windows = ReadWindows(*some, profile);
  if (!windows) return windows.error();
  const forecast::RecordedRun run(profile, *events, kernels, *windows);
  const forecast::RunLevels levels(profile, *events, *windows);
  if (!run.reason().empty()) {
    return Error{ErrorId::kNoForecast, "cannot make a forecast of '" + command.recording + "'",
                 run.reason()};
  }
  RecordingReport report;
  report.file = command.recording;
  report.part = PartText(profile, some->is_part());
  report.source = (*source)->name;
  report.host_speed = command.host_speed;
  report.change = command.change;
  report.gpus = std::max(1, static_cast<int>(used.size()));
  forecast::RunOptions options;
  options.host_speed = command.host_speed;
  options.change = command.change;
  if (command.step_ns > 0) {
    options.recorded = FindHostFactor(run.steps(), {1, command.step_ns});
    if (!options.recorded.reason.empty()) {
      return Error{ErrorId::kNoForecast, options.recorded.reason,
                   "give the time of a step on the recorded GPU with --step-time"};
    }
  }
  options.gpus = std::max(2, command.gpus > 0 ? static_cast<int>(command.gpus) : report.gpus);
  for (const forecast::Device* target : *targets) {
    if (command.change.type && !HasProducts(*target, *command.change.type)) {
      return Error{ErrorId::kUnknownGpu,
                   "the GPU " + target->name + " does not multiply matrices in " +
                       std::string(NumberTypeWord(*command.change.type)),
                   "use another --precision: f32, bf16 or fp8"};
    }
    RunTarget row{
        *target, run.Forecast(forecast::BuiltInTable(), **source, *target, options), {}, {}, {}};
    row.layers = levels.Of(row.forecast, Level::kLayer);
    row.operators = levels.Of(row.forecast, Level::kOperator);
    const auto price = prices->find(target);
    if (price != prices->end()) row.dollars_per_hour = price->second;
    report.targets.push_back(std::move(row));
  }
  return report;
}

std::optional<double> DollarsPerStep(const RunTarget& target, int gpus) {
  if (!target.dollars_per_hour) return std::nullopt;
  return static_cast<double>(target.forecast.step_ns) / 3.6e12 * *target.dollars_per_hour * gpus;
}

}  // namespace gprofx
