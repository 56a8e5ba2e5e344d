// What a part of a recording is made of, read from its streams. Used inside formats/ only.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "core/events.h"
#include "core/part_builder.h"
#include "core/profile.h"
#include "core/result.h"

namespace gprofx {

// Where the rows of a profile are: in its file, or in several that were merged into it. As of
// ProfileReader, which must outlive it.
struct PartSource {
  std::function<Result<int64_t>(HostNs, HostNs,
                                const std::function<void(std::span<const SampleRow>)>&)>
      samples;
  std::function<Result<int64_t>(Stream, std::span<const size_t>,
                                const std::function<void(const EventTable&)>&)>
      events;  // of all times
};

template <class Reader>
PartSource SourceOf(const Reader& reader) {
  constexpr HostNs kFirst = std::numeric_limits<HostNs>::min();
  constexpr HostNs kLast = std::numeric_limits<HostNs>::max();
  return {[&reader](HostNs begin, HostNs end, const auto& sink) {
            return reader.Samples(begin, end, sink);
          },
          [&reader](Stream stream, std::span<const size_t> columns, const auto& sink) {
            return reader.Events(stream, columns, kFirst, kLast, sink);
          }};
}

// Of the whole recording: GPU work, waits, markers and full queues; not the samples.
Result<PartEvents> ReadPartEvents(const PartSource& source, const Profile& profile);

// Reads the samples of the range slice by slice, so that memory does not grow with its length.
Result<PartValues> AddUpPart(const PartSource& source, const Profile& profile,
                             const PartEvents& events, TimeRange range);

}  // namespace gprofx
