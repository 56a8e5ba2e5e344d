#include "formats/reading/finding_read.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/arithmetic.h"
#include "formats/reading/part_read.h"

namespace gprofx {
namespace {

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

// Returns the nodes of ranges that the framework records around the steps of a data loader, by the
// ids of their names.
std::unordered_map<uint32_t, NodeId> LoadingNodes(const Profile& profile) {
  constexpr std::string_view kLoader = "enumerate(DataLoader)";
  std::unordered_map<uint32_t, NodeId> nodes;
  for (uint32_t i = 1; i <= profile.nodes.size(); ++i) {
    const FrameId id = profile.node(NodeId{i}).frame;
    if (!id || profile.frame(id).kind != FrameKind::kOperator || !profile.frame(id).function) {
      continue;
    }
    const StringId name = profile.function(profile.frame(id).function).name;
    if (profile.Text(name).starts_with(kLoader)) nodes.try_emplace(name.value, NodeId{i});
  }
  return nodes;
}

Status ReadLoading(const ProfileSource& source, const Profile& profile, const GpuWorkEvents& work,
                   std::vector<LoadingRange>& out) {
  const std::unordered_map<uint32_t, NodeId> nodes = LoadingNodes(profile);
  if (nodes.empty()) return Ok();
  const std::vector<Use> uses = UsesOf(profile, work);
  static constexpr std::array<size_t, 4> kColumns = {column::kMarkerStart, column::kMarkerDuration,
                                                     column::kMarkerThread, column::kMarkerName};
  const Result<int64_t> read =
      source.Events(Stream::kMarkers, kColumns, kEarliest, kLatest, [&](const EventTable& rows) {
        for (size_t i = 0, all = rows.rows(); i < all; ++i) {
          const auto at = [&](size_t column) { return rows.column(column)[i]; };
          const auto node = nodes.find(static_cast<uint32_t>(at(column::kMarkerName)));
          const ThreadId thread{static_cast<uint32_t>(at(column::kMarkerThread))};
          if (node == nodes.end() || !thread || uses[thread.index()] != Use::kLaunches) continue;
          const HostNs begin = Bounded(at(column::kMarkerStart));
          const int64_t length = std::clamp<int64_t>(at(column::kMarkerDuration), 0, kMaxMagnitude);
          out.push_back({begin, begin + length, thread, node->second});
        }
      });
  if (!read) return read.error();
  std::stable_sort(out.begin(), out.end(),
                   [](const LoadingRange& a, const LoadingRange& b) { return a.begin < b.begin; });
  return Ok();
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
          call.start = Bounded(at(column::kCallStart));
          call.duration = std::clamp<int64_t>(at(column::kCallDuration), 0, kMaxMagnitude);
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
          out.waits.push_back({Bounded(at(column::kWaitPlaceTime)),
                               ThreadId{static_cast<uint32_t>(at(column::kWaitPlaceThread))},
                               NodeId{static_cast<uint32_t>(at(column::kWaitPlaceNode))}});
        }
      });
  if (!waits) return waits.error();
  if (Status read = ReadLoading(source, profile, work, out.loading); !read) return read.error();
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
