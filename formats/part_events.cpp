#include "formats/part_events.h"

#include <algorithm>
#include <array>

#include "core/arithmetic.h"
#include "formats/memory_read.h"
#include "formats/part_read.h"

namespace gprofx {
namespace {

constexpr HostNs kSlice = 60'000'000'000;
constexpr int64_t kQueueFull = 6 << 16;  // CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL
// Times of a broken file may be anything; sums and differences of these do not overflow.
constexpr HostNs kTimeLimit = HostNs{1} << 61;

HostNs TimeOf(int64_t value) { return std::clamp(value, -kTimeLimit, kTimeLimit); }
HostNs EndOf(HostNs begin, int64_t duration) {
  return TimeOf(AddSaturated(begin, std::max<int64_t>(duration, 0)));
}
template <class IdType>
IdType IdOf(int64_t value) {
  return IdType{static_cast<uint32_t>(value)};
}

class Reading {
 public:
  Reading(const ProfileSource& reader, const Profile& profile)
      : reader_(reader), profile_(profile) {}

  Status Operations() {
    out.events.operations.reserve(ExpectedOperations());
    for (const Stream stream : {Stream::kKernels, Stream::kCopies, Stream::kSets}) {
      if (Status read = OperationsOf(stream); !read) return read;
    }
    return Ok();
  }

  Status OperationsOf(Stream stream) {
    // Kernels, copies and memsets begin with the same columns.
    static_assert(int{column::kKernelStream} == int{column::kCopyStream} &&
                  int{column::kKernelStream} == int{column::kSetStream} &&
                  int{column::kCopyBytes} == int{column::kSetBytes});
    static constexpr std::array<size_t, 7> kColumns = {
        column::kKernelStart, column::kKernelDuration, column::kKernelLaunch, column::kKernelThread,
        column::kKernelNode,  column::kKernelStream,   column::kCopyBytes};
    const bool has_bytes = stream != Stream::kKernels;
    return Read(stream, std::span(kColumns).first(has_bytes ? 7 : 6), [&](const EventTable& rows) {
      for (size_t i = 0; i < rows.rows(); ++i) {
        const auto at = [&](size_t column) { return rows.column(column)[i]; };
        PhaseOperation operation;
        operation.start = TimeOf(at(column::kKernelStart));
        operation.end = EndOf(operation.start, at(column::kKernelDuration));
        operation.launch = TimeOf(at(column::kKernelLaunch));
        operation.thread = IdOf<ThreadId>(at(column::kKernelThread));
        operation.node = IdOf<NodeId>(at(column::kKernelNode));
        operation.stream = IdOf<GpuStreamId>(at(column::kKernelStream));
        if (has_bytes) operation.bytes = std::max<int64_t>(at(column::kCopyBytes), 0);
        out.events.operations.push_back(operation);
      }
    });
  }

  Status Waits() {
    static constexpr std::array<size_t, 4> kColumns = {column::kCallStart, column::kCallDuration,
                                                       column::kCallThread, column::kCallNode};
    return Read(Stream::kCalls, kColumns, [&](const EventTable& rows) {
      for (size_t i = 0; i < rows.rows(); ++i) {
        const NodeId node = IdOf<NodeId>(rows.column(column::kCallNode)[i]);
        // Calls that do not wait have no node of their own.
        if (!node || !profile_.node(node).frame ||
            profile_.frame(profile_.node(node).frame).kind != FrameKind::kCudaApi) {
          continue;
        }
        const HostNs begin = TimeOf(rows.column(column::kCallStart)[i]);
        out.events.waits.push_back({begin, EndOf(begin, rows.column(column::kCallDuration)[i]),
                                    IdOf<ThreadId>(rows.column(column::kCallThread)[i]), node});
      }
    });
  }

  Status QueueFull() {
    static constexpr std::array<size_t, 4> kColumns = {
        column::kOverheadStart, column::kOverheadDuration, column::kOverheadProcess,
        column::kOverheadKind};
    return Read(Stream::kOverheads, kColumns, [&](const EventTable& rows) {
      for (size_t i = 0; i < rows.rows(); ++i) {
        if (rows.column(column::kOverheadKind)[i] != kQueueFull) continue;
        const HostNs begin = TimeOf(rows.column(column::kOverheadStart)[i]);
        out.queue_full.push_back({begin, EndOf(begin, rows.column(column::kOverheadDuration)[i]),
                                  IdOf<ProcessId>(rows.column(column::kOverheadProcess)[i])});
      }
    });
  }

  Status Markers() {
    static constexpr std::array<size_t, 5> kColumns = {
        column::kMarkerStart, column::kMarkerDuration, column::kMarkerThread, column::kMarkerName,
        column::kMarkerDomain};
    return Read(Stream::kMarkers, kColumns, [&](const EventTable& rows) {
      for (size_t i = 0; i < rows.rows(); ++i) {
        const HostNs begin = TimeOf(rows.column(column::kMarkerStart)[i]);
        out.events.markers.push_back({begin, EndOf(begin, rows.column(column::kMarkerDuration)[i]),
                                      IdOf<ThreadId>(rows.column(column::kMarkerThread)[i]),
                                      IdOf<StringId>(rows.column(column::kMarkerName)[i]),
                                      IdOf<StringId>(rows.column(column::kMarkerDomain)[i])});
      }
    });
  }

  Status Windows() {
    static constexpr std::array<size_t, 5> kColumns = {
        column::kLevelStart, column::kLevelDuration, column::kLevelProcess, column::kLevelTraced,
        column::kLevelLaunches};
    return Read(Stream::kGpuLevels, kColumns, [&](const EventTable& rows) {
      for (size_t i = 0; i < rows.rows(); ++i) {
        const auto at = [&](size_t column) { return rows.column(column)[i]; };
        LevelWindow window;
        window.begin = TimeOf(at(column::kLevelStart));
        window.end = EndOf(window.begin, at(column::kLevelDuration));
        window.launches = std::max<int64_t>(at(column::kLevelLaunches), 0);
        window.recording = true;
        window.traced = at(column::kLevelTraced) != 0;
        window.process = IdOf<ProcessId>(at(column::kLevelProcess));
        out.windows.push_back(window);
      }
    });
  }

  Status Memory() {
    if (!profile_.FindMetric(kMetricGpuMemory)) return Ok();
    Result<std::vector<MemoryEvent>> read = ReadMemory(reader_);
    if (!read) return read.error();
    out.memory = std::move(*read);
    return Ok();
  }

  PartEvents out;

 private:
  template <class Take>
  Status Read(Stream stream, std::span<const size_t> columns, const Take& take) {
    const Result<int64_t> rows = reader_.Events(stream, columns, kEarliest, kLatest, take);
    if (!rows) return rows.error();
    return Ok();
  }

  // Memory that need not grow; what a profile says of itself may be wrong.
  size_t ExpectedOperations() const {
    constexpr int64_t kMost = int64_t{1} << 20;
    const MetricId metric = profile_.FindMetric(kMetricGpuOps);
    int64_t sum = 0;
    for (const Value& value : profile_.values) {
      if (metric && value.metric == metric) sum = AddSaturated(sum, value.self);
    }
    return static_cast<size_t>(std::clamp<int64_t>(sum, 0, kMost));
  }

  const ProfileSource& reader_;
  const Profile& profile_;
};

}  // namespace

Result<PartEvents> ReadPartEvents(const ProfileSource& reader, const Profile& profile) {
  Reading reading(reader, profile);
  if (Status read = reading.Operations(); !read) return read.error();
  if (Status read = reading.Waits(); !read) return read.error();
  if (Status read = reading.QueueFull(); !read) return read.error();
  if (Status read = reading.Markers(); !read) return read.error();
  if (Status read = reading.Windows(); !read) return read.error();
  if (Status read = reading.Memory(); !read) return read.error();
  return std::move(reading.out);
}

Result<std::vector<PhaseOperation>> ReadOperations(const ProfileSource& reader,
                                                   const Profile& profile) {
  Reading reading(reader, profile);
  if (Status read = reading.Operations(); !read) return read.error();
  return std::move(reading.out.events.operations);
}

Result<std::vector<LevelWindow>> ReadWindows(const ProfileSource& reader, const Profile& profile) {
  Reading reading(reader, profile);
  if (Status read = reading.Windows(); !read) return read.error();
  return std::move(reading.out.windows);
}

Result<PartValues> AddUpPart(const ProfileSource& reader, const Profile& profile,
                             const PartEvents& events, TimeRange range) {
  PartBuilder builder(profile, events, range);
  const TimeRange counted = CountedRange(profile, range);
  for (HostNs begin = range.begin; begin < range.end;) {
    const bool is_first = begin == range.begin, is_last = range.end - begin <= kSlice;
    const HostNs end = is_last ? range.end : begin + kSlice;
    const Result<int64_t> read =
        reader.Samples(is_first ? counted.begin : begin, is_last ? counted.end : end,
                       [&](std::span<const SampleRow> rows) { builder.AddSamples(rows); });
    if (!read) return read.error();
    builder.Advance(end);
    begin = end;
  }
  return std::move(builder).Finish();
}

}  // namespace gprofx
