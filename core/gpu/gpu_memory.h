// Computes the live GPU memory, its peak, and the call paths that allocated both. The input is
// allocations and frees, in the order in which the allocators did them.
//
// A MemoryAccount covers a process, a GPU and an allocator: either the driver (including its pools)
// or a framework's allocator, which subdivides memory of the driver. Both count the same memory, so
// their accounts are never added up. Sums are exact to the byte. If an allocator reports its own
// total, that is the live memory. It may include memory that was allocated before the recording or
// whose event was lost. Such memory has no call path and is called `unknown`.
//
// The live memory at the peak is known by call path at any time. Call paths that changed since the
// latest peak are remembered, and the next peak updates only those. An event therefore takes the
// same time whether it makes a peak or not. Memory use is proportional to live allocations
// (kMaxLive at most) and call paths. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/base/held_bytes.h"
#include "core/events/event_rows.h"
#include "core/model/profile.h"
#include "core/slice/part.h"
#include "core/steps/phases.h"

namespace gprofx {

struct MemoryPlace {  // a call path and a thread that allocate
  NodeId node;
  ThreadId thread;
  int64_t live = 0, at_peak = 0;           // bytes now, and at the peak
  int64_t allocated = 0, allocations = 0;  // total bytes and count
};

struct LiveMemory {
  int64_t bytes = 0;
  HostNs since = 0;
  uint32_t place = 0;  // index into MemoryAccount::places()
  bool is_pool = false;
};

class MemoryAccount {
 public:
  static constexpr size_t kMaxLive = 4'000'000;

  // Adds an allocation or a free. If a free has no size, `event.bytes` is set from the allocation.
  // If the freed allocation is known and `freed` is not null, `freed` is set to it.
  void Add(MemoryEvent& event, LiveMemory* freed = nullptr);
  // Begins a slice of the recording at `time`: peaks and sums begin anew, live memory stays.
  void BeginPart(HostNs time);

  int64_t live() const { return live_; }  // bytes, as in the functions below
  int64_t peak() const { return peak_; }
  HostNs peak_time() const { return peak_time_; }
  // Memory that the allocator holds: now, at the peak of `live`, and its maximum. -1 = not
  // reported.
  int64_t reserved() const { return reserved_; }
  int64_t reserved_at_peak() const { return reserved_at_peak_; }
  int64_t most_reserved() const { return most_reserved_; }
  // Maximum of the live memory that lies in pools. Only the driver has pools.
  int64_t most_in_pools() const { return most_in_pools_; }
  int64_t unknown() const { return live_ - known_; }  // without a call path: now, and at the peak
  int64_t unknown_at_peak() const { return unknown_at_peak_; }
  bool has_unknown() const { return has_unknown_; }  // some memory had no call path
  int64_t allocations() const { return allocations_; }
  int64_t allocated() const { return allocated_; }
  int64_t frees() const { return frees_; }
  int64_t freed() const { return freed_; }
  int64_t unmatched() const { return unmatched_; }  // frees without a known allocation
  const std::vector<MemoryPlace>& places() const { return places_; }
  const std::unordered_map<uint64_t, LiveMemory>& live_by_address() const { return by_address_; }
  size_t bytes() const {  // memory use of this object, approximate
    return HeldBytes(by_address_) + HeldBytes(places_) + HeldBytes(place_index_);
  }

 private:
  uint32_t PlaceOf(NodeId node, ThreadId thread);
  void Allocate(const MemoryEvent& event);
  bool Free(uint64_t address, LiveMemory* freed);
  void Change(uint32_t place, int64_t bytes);
  void Settle(const MemoryEvent& event);
  void TakePeak(HostNs time);

  std::unordered_map<uint64_t, LiveMemory> by_address_;
  std::vector<MemoryPlace> places_;
  std::unordered_map<uint64_t, uint32_t> place_index_;  // by node and thread
  std::vector<uint32_t> changed_;  // indices of places that changed after the latest peak
  std::vector<bool> is_changed_;
  bool has_begun_ = false, has_unknown_ = false;
  int64_t live_ = 0, known_ = 0, peak_ = 0, unknown_at_peak_ = 0;
  HostNs peak_time_ = 0;
  int64_t reserved_ = -1, reserved_at_peak_ = -1, most_reserved_ = -1;
  int64_t in_pools_ = 0, most_in_pools_ = 0;
  int64_t allocations_ = 0, allocated_ = 0, frees_ = 0, freed_ = 0, unmatched_ = 0;
};

struct MemoryOwner {
  ProcessId process;
  GpuDeviceId device;
  bool is_framework = false;  // false: the driver
  auto operator<=>(const MemoryOwner&) const = default;
};

class GpuMemory {
 public:
  void Add(MemoryEvent& event, LiveMemory* freed = nullptr);
  void BeginPart(HostNs time);
  const std::map<MemoryOwner, MemoryAccount>& accounts() const { return accounts_; }
  // True for the account whose call paths views show: a framework's if there is one, otherwise the
  // driver's.
  bool IsShown(const MemoryOwner& owner) const;
  size_t bytes() const;  // approximate, of this object

 private:
  std::map<MemoryOwner, MemoryAccount> accounts_;
};

// Name of the frame below the root to which memory without a call path is attributed.
inline constexpr char kAllocatedBefore[] = "[allocated before the recording]";

// Returns values of kMetricGpuMemory, kMetricGpuAllocated and kMetricGpuAllocations for the
// accounts that are shown. `process` 0 = all processes. Memory without a call path goes to the node
// `before`. Returns nothing if there are no events.
std::vector<Value> MemoryValues(const GpuMemory& memory, const Profile& profile, ProcessId process,
                                NodeId before);

// Returns the node of the frame kAllocatedBefore; the root if there is none.
NodeId FindAllocatedBefore(const Profile& profile);

// Returns the values for a slice of the recording and all processes. `events` must contain all
// events up to the slice's end.
std::vector<Value> MemoryValuesIn(std::vector<MemoryEvent> events, TimeRange range,
                                  const Profile& profile);

}  // namespace gprofx
