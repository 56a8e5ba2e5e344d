#include "formats/reading/memory_read.h"

#include <algorithm>
#include <array>

#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

uint32_t Number(int64_t value) { return static_cast<uint32_t>(value); }

}  // namespace

Result<std::vector<MemoryEvent>> ReadMemory(const ProfileSource& source) {
  static constexpr std::array<size_t, column::kMemoryColumns> kColumns = {
      column::kMemoryTime,    column::kMemoryThread, column::kMemoryNode,
      column::kMemoryProcess, column::kMemoryDevice, column::kMemoryAddress,
      column::kMemoryBytes,   column::kMemorySource, column::kMemoryAllocated,
      column::kMemoryReserved};
  std::vector<MemoryEvent> events;
  const auto take = [&](const EventTable& rows) {
    for (size_t i = 0, all = rows.rows(); i < all; ++i) {
      const auto at = [&](size_t column) { return rows.column(column)[i]; };
      MemoryEvent event;
      event.time = Bounded(at(column::kMemoryTime));
      event.thread = ThreadId{Number(at(column::kMemoryThread))};
      event.node = NodeId{Number(at(column::kMemoryNode))};
      event.process = ProcessId{Number(at(column::kMemoryProcess))};
      event.device = GpuDeviceId{Number(at(column::kMemoryDevice))};
      event.address = static_cast<uint64_t>(at(column::kMemoryAddress));
      event.bytes = Bounded(at(column::kMemoryBytes));
      const int64_t source_number = at(column::kMemorySource);
      event.source =
          source_number == static_cast<int64_t>(MemorySource::kFramework) ? MemorySource::kFramework
          : source_number == static_cast<int64_t>(MemorySource::kPool)    ? MemorySource::kPool
                                                                          : MemorySource::kDriver;
      event.allocated = std::max<int64_t>(Bounded(at(column::kMemoryAllocated)), -1);
      event.reserved = std::max<int64_t>(Bounded(at(column::kMemoryReserved)), -1);
      events.push_back(event);
    }
  };
  const Result<int64_t> read =
      source.Events(Stream::kGpuMemory, kColumns, kEarliest, kLatest, take);
  if (!read) return read.error();
  const auto earlier = [](const MemoryEvent& a, const MemoryEvent& b) { return a.time < b.time; };
  if (!std::is_sorted(events.begin(), events.end(), earlier)) {
    std::stable_sort(events.begin(), events.end(), earlier);
  }
  return events;
}

}  // namespace gprofx
