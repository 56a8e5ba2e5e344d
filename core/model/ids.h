// Defines typed ids: 1-based row numbers in the tables of a Profile, with 0 = none. Using an id of
// one table for another does not compile.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace gprofx {

template <class Tag>
struct Id {
  uint32_t value = 0;

  explicit operator bool() const { return value != 0; }
  auto operator<=>(const Id&) const = default;
  // Returns the position of the row in the table's vector. The id must not be 0.
  size_t index() const { return value - 1; }
};

using StringId = Id<struct StringTag>;
using ModuleId = Id<struct ModuleTag>;
using FunctionId = Id<struct FunctionTag>;
using FrameId = Id<struct FrameTag>;
using NodeId = Id<struct NodeTag>;
using ProcessId = Id<struct ProcessTag>;
using ThreadId = Id<struct ThreadTag>;
using MetricId = Id<struct MetricTag>;
using SourceId = Id<struct SourceTag>;
using GpuDeviceId = Id<struct GpuDeviceTag>;
using GpuContextId = Id<struct GpuContextTag>;
using GpuStreamId = Id<struct GpuStreamTag>;
using GpuConfigId = Id<struct GpuConfigTag>;
using CubinId = Id<struct CubinTag>;

using HostNs = int64_t;  // nanoseconds of CLOCK_MONOTONIC since the start of the recording
inline constexpr HostNs kNsPerMillisecond = 1'000'000, kNsPerSecond = 1'000'000'000;
inline constexpr HostNs kEarliest = INT64_MIN,
                        kLatest = INT64_MAX;  // [kEarliest, kLatest) contains all times

}  // namespace gprofx

template <class Tag>
struct std::hash<gprofx::Id<Tag>> {
  size_t operator()(gprofx::Id<Tag> id) const noexcept { return id.value; }
};
