#include "formats/reading/analysis_read.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/reading/memory_read.h"
#include "formats/reading/part_events.h"
#include "formats/reading/part_read.h"

namespace gprofx {
namespace {

// Sets out.launch_ns: for each operation, the duration of the call that launched it, or -1 if
// unknown. Only imported traces have launch calls; without them, out.launch_ns stays empty.
Status ReadLaunchCalls(const ProfileSource& source, GpuWorkEvents& out) {
  // Thread and begin; a begin of 0 becomes 1, as in operation.launch.
  using Key = std::pair<uint32_t, HostNs>;
  std::vector<std::pair<Key, int64_t>> calls;
  static constexpr std::array<size_t, 3> kColumns = {
      column::kLaunchCallStart, column::kLaunchCallDuration, column::kLaunchCallThread};
  const Result<int64_t> read = source.Events(
      Stream::kLaunchCalls, kColumns, kEarliest, kLatest, [&](const EventTable& rows) {
        for (size_t i = 0, all = rows.rows(); i < all; ++i) {
          const auto at = [&](size_t column) { return rows.column(column)[i]; };
          const Key key(static_cast<uint32_t>(at(column::kLaunchCallThread)),
                        std::max<HostNs>(at(column::kLaunchCallStart), 1));
          calls.push_back({key, std::max<int64_t>(at(column::kLaunchCallDuration), 0)});
        }
      });
  if (!read) return read.error();
  if (calls.empty()) return Ok();
  std::sort(calls.begin(), calls.end());
  out.launch_ns.reserve(out.operations.size());
  for (const PhaseOperation& operation : out.operations) {
    const std::pair wanted(Key(operation.thread.value, operation.launch), int64_t{0});
    const auto found = std::lower_bound(calls.begin(), calls.end(), wanted);
    const bool known =
        operation.launch != 0 && found != calls.end() && found->first == wanted.first;
    out.launch_ns.push_back(known ? found->second : -1);
  }
  return Ok();
}

}  // namespace

Result<GpuWorkEvents> ReadGpuWork(const ProfileSource& source, const Profile& profile) {
  Result<std::vector<PhaseOperation>> operations = ReadOperations(source, profile);
  if (!operations) return operations.error();
  GpuWorkEvents out;
  out.operations = std::move(*operations);
  static constexpr std::array<size_t, 1> kConfig = {column::kKernelConfig};
  const Result<int64_t> read =
      source.Events(Stream::kKernels, kConfig, kEarliest, kLatest, [&](const EventTable& rows) {
        for (const int64_t config : rows.column(column::kKernelConfig)) {
          out.configs.push_back(GpuConfigId{static_cast<uint32_t>(config)});
        }
      });
  if (!read) return read.error();
  if (profile.FindMetric(kMetricGpuMemory)) {
    Result<std::vector<MemoryEvent>> memory = ReadMemory(source);
    if (!memory) return memory.error();
    out.memory = std::move(*memory);
  }
  if (Status calls = ReadLaunchCalls(source, out); !calls) return calls.error();
  Result<std::vector<KernelCounters>> counters = source.Counters();
  if (!counters) return counters.error();
  out.counters = std::move(*counters);
  Result<std::vector<LevelWindow>> windows = ReadWindows(source, profile);
  if (!windows) return windows.error();
  out.windows = std::move(*windows);
  return out;
}

}  // namespace gprofx
