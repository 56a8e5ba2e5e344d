#include "formats/reading/finding_read.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/reading/part_read.h"

namespace gprofx {
namespace {

// A broken file may hold any time. Sums and differences of times within this limit do not overflow.
constexpr HostNs kTimeLimit = HostNs{1} << 61;

enum class Use : uint8_t { kNone, kBeside, kLaunches };  // how a thread uses a GPU

std::vector<Use> UsesOf(const Profile& profile, const GpuWorkEvents& work) {
  std::vector<Use> uses(profile.threads.size());
  std::vector<bool> processes(profile.processes.size());
  for (const PhaseOperation& operation : work.operations) {
    if (operation.thread) uses[operation.thread.index()] = Use::kLaunches;
  }
  const auto process = [&](size_t i) { return profile.threads[i].process; };
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == Use::kLaunches && process(i)) processes[process(i).index()] = true;
  }
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == Use::kNone && process(i) && processes[process(i).index()])
      uses[i] = Use::kBeside;
  }
  return uses;
}

}  // namespace

Result<FindingEvents> ReadFindingEvents(const ProfileSource& source, const Profile& profile,
                                        const GpuWorkEvents& work) {
  FindingEvents out;
  out.kernels = work.configs.size();
  static constexpr std::array<size_t, 3> kMemory = {column::kCopyKind, column::kCopySource,
                                                    column::kCopyTarget};
  const Result<int64_t> copies =
      source.Events(Stream::kCopies, kMemory, kEarliest, kLatest, [&](const EventTable& rows) {
        for (size_t i = 0, all = rows.rows(); i < all; ++i) {
          const auto at = [&](size_t column) {
            return static_cast<uint8_t>(rows.column(column)[i]);
          };
          out.copies.push_back(
              {at(column::kCopyKind), at(column::kCopySource), at(column::kCopyTarget)});
        }
      });
  if (!copies) return copies.error();
  static constexpr std::array<size_t, 5> kCalls = {column::kCallStart, column::kCallDuration,
                                                   column::kCallThread, column::kCallNode,
                                                   column::kCallKind};
  const Result<int64_t> calls =
      source.Events(Stream::kCalls, kCalls, kEarliest, kLatest, [&](const EventTable& rows) {
        for (size_t i = 0, all = rows.rows(); i < all; ++i) {
          const auto at = [&](size_t column) { return rows.column(column)[i]; };
          CallEvent call;
          call.start = std::clamp(at(column::kCallStart), -kTimeLimit, kTimeLimit);
          call.duration = std::clamp<int64_t>(at(column::kCallDuration), 0, kTimeLimit);
          call.thread = ThreadId{static_cast<uint32_t>(at(column::kCallThread))};
          call.node = NodeId{static_cast<uint32_t>(at(column::kCallNode))};
          call.name = StringId{static_cast<uint32_t>(at(column::kCallKind))};
          out.calls.push_back(call);
        }
      });
  if (!calls) return calls.error();
  static constexpr std::array<size_t, 3> kWaits = {column::kWaitPlaceTime, column::kWaitPlaceThread,
                                                   column::kWaitPlaceNode};
  const Result<int64_t> waits =
      source.Events(Stream::kWaitPlaces, kWaits, kEarliest, kLatest, [&](const EventTable& rows) {
        for (size_t i = 0, all = rows.rows(); i < all; ++i) {
          const auto at = [&](size_t column) { return rows.column(column)[i]; };
          out.waits.push_back({std::clamp(at(column::kWaitPlaceTime), -kTimeLimit, kTimeLimit),
                               ThreadId{static_cast<uint32_t>(at(column::kWaitPlaceThread))},
                               NodeId{static_cast<uint32_t>(at(column::kWaitPlaceNode))}});
        }
      });
  if (!waits) return waits.error();
  Result<std::vector<LevelWindow>> windows = ReadWindows(source, profile);
  if (!windows) return windows.error();
  out.windows = std::move(*windows);
  return out;
}

Status ReadFindingSamples(const ProfileSource& source, const Profile& profile,
                          const GpuWorkEvents& work, TimeRange shown,
                          const FindingEvents::TakeSamples& take) {
  const std::vector<Use> uses = UsesOf(profile, work);
  std::vector<SampleRow> kept;
  const Result<int64_t> samples =
      source.Samples(shown.begin, shown.end, [&](std::span<const SampleRow> rows) {
        kept.clear();
        for (const SampleRow& row : rows) {
          const Use use = row.thread ? uses[row.thread.index()] : Use::kNone;
          const bool holds = (row.state & kStateMask) == kStateGilHeld;
          if (use == Use::kLaunches || (use == Use::kBeside && holds)) kept.push_back(row);
        }
        take(kept);
      });
  if (!samples) return samples.error();
  return Ok();
}

}  // namespace gprofx
