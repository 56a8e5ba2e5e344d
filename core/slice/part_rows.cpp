#include "core/slice/part_rows.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/kernels/kernel_family.h"

namespace gprofx {
namespace {

constexpr int64_t kQueueFull = 6 << 16;  // CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL

HostNs EndOf(HostNs begin, int64_t duration) {
  return Bounded(AddSaturated(begin, std::max<int64_t>(duration, 0)));
}

// Gives access to row `i` of an event table.
struct Row {
  const EventTable& rows;
  size_t i;

  int64_t At(size_t column) const { return rows.column(column)[i]; }
  template <class IdType>
  IdType Id(size_t column) const {
    return IdType{static_cast<uint32_t>(At(column))};
  }
  HostNs Begin(size_t column) const { return Bounded(At(column)); }
};

void AddOperation(const Row& row, PartEvents& out) {
  // AddOperation reads rows of kernels, copies and memsets alike, because their first columns are
  // the same.
  static_assert(int{column::kKernelStream} == int{column::kCopyStream} &&
                int{column::kKernelStream} == int{column::kSetStream} &&
                int{column::kCopyBytes} == int{column::kSetBytes});
  PhaseOperation operation;
  operation.start = row.Begin(column::kKernelStart);
  operation.end = EndOf(operation.start, row.At(column::kKernelDuration));
  operation.launch = row.Begin(column::kKernelLaunch);
  operation.thread = row.Id<ThreadId>(column::kKernelThread);
  operation.node = row.Id<NodeId>(column::kKernelNode);
  operation.stream = row.Id<GpuStreamId>(column::kKernelStream);
  if (row.rows.stream() != Stream::kKernels) {
    operation.bytes = std::max<int64_t>(row.At(column::kCopyBytes), 0);
  }
  out.events.operations.push_back(operation);
}

void AddWait(const Row& row, const Profile& profile, PartEvents& out) {
  const auto node = row.Id<NodeId>(column::kCallNode);
  // Only waiting calls have a node of their own in the tree.
  if (!node || !profile.node(node).frame ||
      profile.frame(profile.node(node).frame).kind != FrameKind::kCudaApi) {
    return;
  }
  const HostNs begin = row.Begin(column::kCallStart);
  out.events.waits.push_back({begin, EndOf(begin, row.At(column::kCallDuration)),
                              row.Id<ThreadId>(column::kCallThread), node});
}

void AddQueueFull(const Row& row, PartEvents& out) {
  if (row.At(column::kOverheadKind) != kQueueFull) return;
  const HostNs begin = row.Begin(column::kOverheadStart);
  out.queue_full.push_back({begin, EndOf(begin, row.At(column::kOverheadDuration)),
                            row.Id<ProcessId>(column::kOverheadProcess)});
}

void AddMarker(const Row& row, PartEvents& out) {
  const HostNs begin = row.Begin(column::kMarkerStart);
  out.events.markers.push_back({begin, EndOf(begin, row.At(column::kMarkerDuration)),
                                row.Id<ThreadId>(column::kMarkerThread),
                                row.Id<StringId>(column::kMarkerName),
                                row.Id<StringId>(column::kMarkerDomain)});
}

void AddLevel(const Row& row, PartEvents& out) {
  LevelWindow window;
  window.begin = row.Begin(column::kLevelStart);
  window.end = EndOf(window.begin, row.At(column::kLevelDuration));
  window.launches = std::max<int64_t>(row.At(column::kLevelLaunches), 0);
  window.recording = true;
  window.traced = row.At(column::kLevelTraced) != 0;
  window.process = row.Id<ProcessId>(column::kLevelProcess);
  out.windows.push_back(window);
}

void AddLaunch(const Row& row, PartEvents& out) {
  out.events.launches.push_back({row.Begin(column::kLaunchTime),
                                 row.Id<ThreadId>(column::kLaunchThread),
                                 row.Id<NodeId>(column::kLaunchNode)});
}

void AddLook(const Row& row, PartEvents& out) {
  out.looks.push_back({row.Begin(column::kWaitPlaceTime),
                       row.Id<ThreadId>(column::kWaitPlaceThread),
                       row.Id<NodeId>(column::kWaitPlaceNode)});
}

}  // namespace

void AddPartRows(const EventTable& rows, const Profile& profile, PartEvents& out) {
  const size_t count = rows.rows();
  for (size_t i = 0; i < count; ++i) {
    const Row row{rows, i};
    switch (rows.stream()) {
      case Stream::kKernels:
      case Stream::kCopies:
      case Stream::kSets:
        AddOperation(row, out);
        break;
      case Stream::kCalls:
        AddWait(row, profile, out);
        break;
      case Stream::kOverheads:
        AddQueueFull(row, out);
        break;
      case Stream::kMarkers:
        AddMarker(row, out);
        break;
      case Stream::kGpuLevels:
        AddLevel(row, out);
        break;
      case Stream::kGpuLaunches:
        AddLaunch(row, out);
        break;
      case Stream::kWaitPlaces:
        AddLook(row, out);
        break;
      default:
        return;
    }
  }
}

BusyClass BusyClasses::Of(NodeId node) {
  if (!node || !profile_.node(node).frame) return BusyClass::kCompute;
  const FrameId id = profile_.node(node).frame;
  uint8_t& known = of_[id.index()];
  if (known == 0) known = static_cast<uint8_t>(1 + static_cast<int>(Look(profile_.frame(id))));
  return static_cast<BusyClass>(known - 1);
}

BusyClass BusyClasses::Look(const Frame& frame) const {
  if (frame.kind == FrameKind::kGpuCopy) return BusyClass::kCopy;
  if (!frame.function) return BusyClass::kCompute;
  const std::string_view name = profile_.Text(profile_.function(frame.function).name);
  return IsCommunicationKernel(name) ? BusyClass::kCommunication : BusyClass::kCompute;
}

std::string WaitingCall(const Profile& profile, NodeId node) {
  const Frame& frame = profile.frame(profile.node(node).frame);
  return std::string(frame.function ? profile.Text(profile.function(frame.function).name) : "");
}

}  // namespace gprofx
