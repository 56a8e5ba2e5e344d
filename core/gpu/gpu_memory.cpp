#include "core/gpu/gpu_memory.h"

#include <algorithm>

#include "core/base/arithmetic.h"

namespace gprofx {

uint32_t MemoryAccount::PlaceOf(NodeId node, ThreadId thread) {
  const uint64_t key = uint64_t{node.value} << 32 | thread.value;
  const auto [at, is_new] = place_index_.try_emplace(key, static_cast<uint32_t>(places_.size()));
  if (is_new) {
    places_.push_back({node, thread});
    is_changed_.push_back(false);
  }
  return at->second;
}

void MemoryAccount::Change(uint32_t place, int64_t bytes) {
  places_[place].live = AddSaturated(places_[place].live, bytes);
  known_ = AddSaturated(known_, bytes);
  if (is_changed_[place]) return;
  is_changed_[place] = true;
  changed_.push_back(place);
}

void MemoryAccount::TakePeak(HostNs time) {
  peak_ = live_;
  peak_time_ = time;
  unknown_at_peak_ = unknown();
  reserved_at_peak_ = reserved_;
  for (const uint32_t place : changed_) {
    places_[place].at_peak = places_[place].live;
    is_changed_[place] = false;
  }
  changed_.clear();
}

void MemoryAccount::Allocate(const MemoryEvent& event) {
  const uint32_t place = PlaceOf(event.node, event.thread);
  ++allocations_;
  allocated_ = AddSaturated(allocated_, event.bytes);
  ++places_[place].allocations;
  places_[place].allocated = AddSaturated(places_[place].allocated, event.bytes);
  // The memory at this address must have been freed since: the event of the free is missing.
  if (by_address_.contains(event.address)) Free(event.address, nullptr);
  if (by_address_.size() >= kMaxLive) return;
  const bool is_pool = event.source == MemorySource::kPool;
  by_address_[event.address] = {event.bytes, event.time, place, is_pool};
  if (is_pool) in_pools_ = AddSaturated(in_pools_, event.bytes);
  most_in_pools_ = std::max(most_in_pools_, in_pools_);
  Change(place, event.bytes);
}

bool MemoryAccount::Free(uint64_t address, LiveMemory* freed) {
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return false;
  const LiveMemory memory = found->second;
  by_address_.erase(found);
  if (memory.is_pool) in_pools_ -= memory.bytes;
  Change(memory.place, -memory.bytes);
  if (freed != nullptr) *freed = memory;
  return true;
}

// Sets the live memory after an event: the allocator's own total if it reports one, otherwise the
// sum of known allocations. Memory beyond the known allocations has no call path.
void MemoryAccount::Settle(const MemoryEvent& event) {
  reserved_ = event.reserved;
  most_reserved_ = std::max(most_reserved_, reserved_);
  const int64_t live = event.allocated >= 0 ? event.allocated : known_;
  const bool is_more = live > peak_;
  live_ = live;
  has_unknown_ = has_unknown_ || unknown() != 0;
  if (is_more) TakePeak(event.time);
}

void MemoryAccount::Add(MemoryEvent& event, LiveMemory* freed) {
  // The first total of the allocator tells how much memory is from before the recording.
  if (!has_begun_ && event.allocated >= 0) {
    live_ = std::max<int64_t>(SubtractSaturated(event.allocated, event.bytes), 0);
    reserved_ = event.reserved;
    if (live_ > 0) TakePeak(event.time);
  }
  has_begun_ = true;
  if (event.bytes > 0) {
    Allocate(event);
  } else {
    LiveMemory memory;
    if (Free(event.address, &memory)) {
      if (event.bytes == 0) event.bytes = -memory.bytes;
      if (freed != nullptr) *freed = memory;
    } else {
      ++unmatched_;
    }
    ++frees_;
    freed_ = SubtractSaturated(freed_, event.bytes);
  }
  Settle(event);
}

void MemoryAccount::BeginPart(HostNs time) {
  allocations_ = allocated_ = frees_ = freed_ = unmatched_ = 0;
  most_in_pools_ = in_pools_;
  most_reserved_ = reserved_;
  for (MemoryPlace& place : places_) place.allocated = place.allocations = 0;
  TakePeak(time);
}

namespace {

MemoryOwner OwnerOf(const MemoryEvent& event) {
  return {event.process, event.device, event.source == MemorySource::kFramework};
}

}  // namespace

void GpuMemory::Add(MemoryEvent& event, LiveMemory* freed) {
  accounts_[OwnerOf(event)].Add(event, freed);
}

void GpuMemory::BeginPart(HostNs time) {
  for (auto& [_, account] : accounts_) account.BeginPart(time);
}

size_t GpuMemory::bytes() const {
  size_t all = 0;
  for (const auto& [owner, account] : accounts_) all += account.bytes();
  return all;
}

bool GpuMemory::IsShown(const MemoryOwner& owner) const {
  return owner.is_framework || !accounts_.contains({owner.process, owner.device, true});
}

std::vector<Value> MemoryValues(const GpuMemory& memory, const Profile& profile, ProcessId process,
                                NodeId before) {
  std::map<std::tuple<NodeId, ThreadId, MetricId>, int64_t> sums;
  const MetricId live = profile.FindMetric(kMetricGpuMemory),
                 bytes = profile.FindMetric(kMetricGpuAllocated),
                 count = profile.FindMetric(kMetricGpuAllocations);
  const auto add = [&](NodeId node, ThreadId thread, MetricId metric, int64_t value) {
    if (!metric || value == 0) return;
    int64_t& sum = sums[{node, thread, metric}];
    sum = AddSaturated(sum, value);
  };
  for (const auto& [owner, account] : memory.accounts()) {
    if ((process && owner.process != process) || !memory.IsShown(owner)) continue;
    // Memory of an event without a known thread counts for the first thread of the process.
    ThreadId any;
    for (uint32_t i = 0; i < profile.threads.size() && !any; ++i) {
      if (profile.threads[i].process == owner.process) any = ThreadId{i + 1};
    }
    for (const MemoryPlace& place : account.places()) {
      const NodeId node = place.node ? place.node : profile.root();
      const ThreadId thread = place.thread ? place.thread : any;
      if (!thread) continue;
      add(node, thread, live, place.at_peak);
      add(node, thread, bytes, place.allocated);
      add(node, thread, count, place.allocations);
    }
    if (any) add(before, any, live, account.unknown_at_peak());
  }
  std::vector<Value> values;
  for (const auto& [key, sum] : sums) {
    const auto& [node, thread, metric] = key;
    values.push_back({node, thread, metric, sum});
  }
  return values;
}

NodeId FindAllocatedBefore(const Profile& profile) {
  for (uint32_t i = 0; i < profile.nodes.size(); ++i) {
    const Node& node = profile.nodes[i];
    if (node.parent != profile.root() || !node.frame) continue;
    const Frame& frame = profile.frame(node.frame);
    if (frame.kind == FrameKind::kMarker && frame.function &&
        profile.Text(profile.function(frame.function).name) == kAllocatedBefore)
      return NodeId{i + 1};
  }
  return profile.root();
}

std::vector<Value> MemoryValuesIn(std::vector<MemoryEvent> events, TimeRange range,
                                  const Profile& profile) {
  GpuMemory memory;
  bool is_inside = false;
  for (MemoryEvent& event : events) {
    if (event.time >= range.end) continue;
    if (!is_inside && event.time >= range.begin) {
      memory.BeginPart(range.begin);
      is_inside = true;
    }
    memory.Add(event);
  }
  if (!is_inside) memory.BeginPart(range.begin);
  return MemoryValues(memory, profile, {}, FindAllocatedBefore(profile));
}

}  // namespace gprofx
