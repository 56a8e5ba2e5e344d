#include "formats/reading/part_events.h"

#include <algorithm>
#include <array>

#include "core/base/arithmetic.h"
#include "core/slice/choose_part.h"
#include "core/slice/part_rows.h"
#include "formats/reading/memory_read.h"
#include "formats/reading/part_read.h"

namespace gprofx {
namespace {

constexpr HostNs kSlice = 60'000'000'000;

class Reading {
 public:
  Reading(const ProfileSource& reader, const Profile& profile)
      : reader_(reader), profile_(profile) {}

  Status Operations() {
    // Reserve memory for all operations: while a vector grows, its elements are in memory twice.
    out.events.operations.reserve(
        static_cast<size_t>(std::clamp<int64_t>(OperationsIn(profile_), 0, kMaxOperations)));
    for (const Stream stream : {Stream::kKernels, Stream::kCopies, Stream::kSets}) {
      if (Status read = OperationsOf(stream); !read) return read;
    }
    return Ok();
  }

  Status OperationsOf(Stream stream) {
    return Read(stream, std::span(kOperation).first(stream == Stream::kKernels ? 6 : 7));
  }

  Status Slice(TimeRange slice, const TakeOperations& take) {
    for (const Stream stream : {Stream::kKernels, Stream::kCopies, Stream::kSets}) {
      const Result<int64_t> rows =
          reader_.Events(stream, std::span(kOperation).first(stream == Stream::kKernels ? 6 : 7),
                         slice.begin, slice.end, [&](const EventTable& some) {
                           std::vector<PhaseOperation>& operations = out.events.operations;
                           operations.clear();
                           AddPartRows(some, profile_, out);
                           std::erase_if(operations, [&](const PhaseOperation& operation) {
                             return operation.start < slice.begin || operation.start >= slice.end;
                           });
                           take(operations);
                         });
      if (!rows) return rows.error();
    }
    return Ok();
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
    static constexpr std::array<size_t, 5> kColumns = {column::kLevelStart, column::kLevelDuration,
                                                       column::kLevelProcess, column::kLevelTraced,
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
  // Copies and memsets have the same columns, see core/slice/part_rows.cpp. Kernels have no column
  // for bytes.
  static constexpr std::array<size_t, 7> kOperation = {
      column::kKernelStart, column::kKernelDuration, column::kKernelLaunch, column::kKernelThread,
      column::kKernelNode,  column::kKernelStream,   column::kCopyBytes};

  Status Read(Stream stream, std::span<const size_t> columns) {
    const Result<int64_t> rows =
        reader_.Events(stream, columns, kEarliest, kLatest,
                       [&](const EventTable& some) { AddPartRows(some, profile_, out); });
    if (!rows) return rows.error();
    return Ok();
  }

  const ProfileSource& reader_;
  const Profile& profile_;
};

}  // namespace

Result<PartEvents> ReadPartEvents(const ProfileSource& reader, const Profile& profile,
                                  int64_t most_operations) {
  Reading reading(reader, profile);
  reading.out.has_operations = OperationsIn(profile) <= most_operations;
  if (reading.out.has_operations) {
    if (Status read = reading.Operations(); !read) return read.error();
  }
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

Status ForOperations(const ProfileSource& reader, const Profile& profile, const PartEvents& events,
                     TimeRange slice, const TakeOperations& take) {
  if (!events.has_operations) return Reading(reader, profile).Slice(slice, take);
  take(events.events.operations);
  return Ok();
}

std::vector<TimeRange> SlicesOf(const Profile& profile, TimeRange range, int64_t operations) {
  constexpr HostNs kShortest = 10'000'000;
  constexpr int64_t kMaxSlices = 10'000;  // a damaged file may claim a recording of any length
  const int64_t pieces = 1 + OperationsIn(profile) / operations;
  const HostNs length =
      std::max(std::clamp<HostNs>(EndOfRecording(profile) / pieces, kShortest, kSlice),
               SubtractSaturated(range.end, range.begin) / kMaxSlices);
  std::vector<TimeRange> slices;
  HostNs begin = range.begin;
  for (; SubtractSaturated(range.end, begin) > length; begin += length) {
    slices.push_back({begin, begin + length});
  }
  slices.push_back({begin, range.end});
  return slices;
}

TimeRange Outwards(std::span<const TimeRange> slices, size_t i) {
  return {i == 0 ? kEarliest : slices[i].begin, i + 1 == slices.size() ? kLatest : slices[i].end};
}

Result<PartValues> AddUpPart(const ProfileSource& reader, const Profile& profile,
                             const PartEvents& events, TimeRange range, int64_t of_slice) {
  PartBuilder builder(profile, events, range);
  const TimeRange counted = CountedRange(profile, range);
  if (HasGaps(profile)) {
    const Status read = ReadLaunches(reader, counted.begin, counted.end,
                                     [&](const PhaseLaunch& launch) { builder.AddLaunch(launch); });
    if (!read) return read.error();
  }
  const auto look = [&](std::span<const PhaseOperation> some) { builder.LookAt(some); };
  const auto add = [&](std::span<const PhaseOperation> some) { builder.AddOperations(some); };
  const std::vector<TimeRange> all = SlicesOf(profile, {0, EndOfRecording(profile)}, of_slice);
  for (size_t i = 0; i < (events.has_operations ? 1 : all.size()); ++i) {
    const Status looked = ForOperations(reader, profile, events, Outwards(all, i), look);
    if (!looked) return looked.error();
  }
  const std::vector<TimeRange> slices = SlicesOf(profile, range, of_slice);
  for (size_t i = 0; i < slices.size(); ++i) {
    if (i == 0 || !events.has_operations) {
      const Status added = ForOperations(reader, profile, events, Outwards(slices, i), add);
      if (!added) return added.error();
    }
    const Result<int64_t> read =
        reader.Samples(i == 0 ? counted.begin : slices[i].begin,
                       i + 1 == slices.size() ? counted.end : slices[i].end,
                       [&](std::span<const SampleRow> rows) { builder.AddSamples(rows); });
    if (!read) return read.error();
    builder.Advance(slices[i].end);
  }
  return std::move(builder).Finish();
}

}  // namespace gprofx
