#include "formats/part_events.h"

#include <algorithm>
#include <array>

#include "core/arithmetic.h"
#include "core/choose_part.h"
#include "core/part_rows.h"
#include "formats/memory_read.h"
#include "formats/part_read.h"

namespace gprofx {
namespace {

constexpr HostNs kSlice = 60'000'000'000;
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
    // Those of copies and memsets, too (core/part_rows.cpp); kernels have no bytes.
    static constexpr std::array<size_t, 7> kColumns = {
        column::kKernelStart, column::kKernelDuration, column::kKernelLaunch, column::kKernelThread,
        column::kKernelNode,  column::kKernelStream,   column::kCopyBytes};
    return Read(stream, std::span(kColumns).first(stream == Stream::kKernels ? 6 : 7));
  }

  Status Waits() {
    static constexpr std::array<size_t, 4> kColumns = {column::kCallStart, column::kCallDuration,
                                                       column::kCallThread, column::kCallNode};
    return Read(Stream::kCalls, kColumns);
  }

  Status QueueFull() {
    static constexpr std::array<size_t, 4> kColumns = {
        column::kOverheadStart, column::kOverheadDuration, column::kOverheadProcess,
        column::kOverheadKind};
    return Read(Stream::kOverheads, kColumns);
  }

  Status Looks() {
    static constexpr std::array<size_t, 3> kColumns = {
        column::kWaitPlaceTime, column::kWaitPlaceThread, column::kWaitPlaceNode};
    return Read(Stream::kWaitPlaces, kColumns);
  }

  Status Markers() {
    static constexpr std::array<size_t, 5> kColumns = {
        column::kMarkerStart, column::kMarkerDuration, column::kMarkerThread, column::kMarkerName,
        column::kMarkerDomain};
    return Read(Stream::kMarkers, kColumns);
  }

  Status Windows() {
    static constexpr std::array<size_t, 5> kColumns = {
        column::kLevelStart, column::kLevelDuration, column::kLevelProcess, column::kLevelTraced,
        column::kLevelLaunches};
    return Read(Stream::kGpuLevels, kColumns);
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
  Status Read(Stream stream, std::span<const size_t> columns) {
    const Result<int64_t> rows =
        reader_.Events(stream, columns, kEarliest, kLatest,
                       [&](const EventTable& some) { AddPartRows(some, profile_, out); });
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
  if (Status read = reading.Looks(); !read) return read.error();
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

Status ReadLaunches(const ProfileSource& reader, HostNs begin, HostNs end,
                    const std::function<void(const PhaseLaunch&)>& take) {
  static constexpr std::array<size_t, 3> kColumns = {column::kLaunchTime, column::kLaunchThread,
                                                     column::kLaunchNode};
  const Result<int64_t> rows =
      reader.Events(Stream::kGpuLaunches, kColumns, begin, end, [&](const EventTable& table) {
        for (size_t i = 0, all = table.rows(); i < all; ++i) {
          const HostNs time = table.column(column::kLaunchTime)[i];
          if (time < begin || time >= end) continue;
          take(PhaseLaunch{time,
                           ThreadId{static_cast<uint32_t>(table.column(column::kLaunchThread)[i])},
                           NodeId{static_cast<uint32_t>(table.column(column::kLaunchNode)[i])}});
        }
      });
  if (!rows) return rows.error();
  return Ok();
}

Result<PartValues> AddUpPart(const ProfileSource& reader, const Profile& profile,
                             const PartEvents& events, TimeRange range) {
  PartBuilder builder(profile, events, range);
  const TimeRange counted = CountedRange(profile, range);
  if (HasGaps(profile)) {
    const Status read = ReadLaunches(reader, counted.begin, counted.end,
                                     [&](const PhaseLaunch& launch) { builder.AddLaunch(launch); });
    if (!read) return read.error();
  }
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
