// Implements the part of ProcessDrain that reads what a process wrote besides samples: CUDA calls,
// records of GPU work, memory events and markers.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "samplers/collector/drain/drain.h"
#include "samplers/collector/drain/drain_bounds.h"
#include "samplers/collector/session.h"

namespace gprofx {

void ProcessDrain::ReadGpu(uint64_t head, HostNs now) {
  const std::byte* stream = head != 0 ? region_.GpuStream() : nullptr;
  if (stream == nullptr) return;
  const int64_t began = MonotonicNs();
  const GpuIngest::Known known = {[this](uint32_t node) { return ingest_.Node(region_, node); },
                                  [this](uint32_t slot, uint32_t generation) {
                                    const bool is_there = slot < slots_.size() &&
                                                          slots_[slot].generation == generation;
                                    return is_there ? slots_[slot].thread : ThreadId{};
                                  }};
  const int64_t bad = gpu_reader_.bad_records();
  gpu_reader_.Read(*region_.Gpu(), stream, head, [&](std::span<const std::byte> record) {
    if (raw_ != nullptr) raw_->Add(RawKind::kStream, process_.value, 0, record);
    gpu_->Record(record, now, known);
  });
  gpu_->CountBad(gpu_reader_.bad_records() - bad);
  gpu_->Advance(now);
  ingest_ns_ += MonotonicNs() - began;
}

void ProcessDrain::ReadMemory(uint64_t head, HostNs now) {
  const wire::MemoryRecord* ring = region_.MemoryRing();
  if (ring == nullptr) return;
  const int64_t began = MonotonicNs();
  const StackOf stack_of = [this](uint32_t node) { return ingest_.Node(region_, node); };
  const size_t count = memory_reader_.Read(
      *region_.Memory(), ring, head, now,
      [&](const MemoryRecord& record) { gpu_->memory().Take(record, now, stack_of); });
  if (count == 0) return;
  gpu_entries_ += static_cast<int64_t>(count);
  ingest_ns_ += MonotonicNs() - began;
}

void ProcessDrain::CloseMemory() {
  const wire::MemoryHeader* header = region_.Memory();
  gpu_->CountBad(memory_reader_.bad_records());
  if (header == nullptr) return;
  const uint64_t dropped = header->dropped.load(std::memory_order_relaxed);
  if (dropped == 0) return;
  profile_.quality["gpu_memory_dropped"] += BoundedCount(dropped);
}

void ProcessDrain::SetMarkers(MarkerRun* run) {
  marker_run_ = run;
  markers_ = std::make_unique<MarkerMatcher>(profile_, *run);
}

// Reads the markers up to `head`. The head was read before the rings, so the threads of all these
// markers are known by now.
void ProcessDrain::ReadMarkers(uint64_t head, HostNs now) {
  std::byte* stream = region_.MarkerStream();
  if (stream == nullptr) return;
  const int64_t began = MonotonicNs();
  const size_t count =
      marker_reader_.Read(*region_.Markers(), stream, head, now,
                          [&](const MarkerRecord& record) { markers_->Take(record, now); });
  if (count == 0) return;
  marker_records_ += static_cast<int64_t>(count);
  ingest_ns_ += MonotonicNs() - began;
}

void ProcessDrain::CloseMarkers(HostNs end) {
  if (!markers_) return;
  markers_->Finish(end);
  MarkerCounts counts;
  counts.bad = marker_reader_.bad_records();
  if (const wire::MarkerHeader* header = region_.Markers()) {
    const auto bounded = [](const std::atomic<uint64_t>& counter) {
      return BoundedCount(counter.load(std::memory_order_relaxed));
    };
    counts.dropped = bounded(header->dropped);
    counts.unmatched = bounded(header->unmatched);
    counts.left_out = bounded(header->left_out);
  }
  marker_run_->Count(counts);
}

void ProcessDrain::TakeCall(const wire::SampleRecord& record, ThreadId thread, HostNs now) {
  ++gpu_entries_;
  if (!gpu_) return;
  const uint16_t flags = wire::WhenFlags(record.when);
  const HostNs time = BoundedTime(wire::WhenTime(record.when), now);
  const NodeId node = ingest_.Node(region_, record.node);
  if ((flags & wire::kRecordLaunch) != 0) {
    gpu_->Launch(thread, time, node, record.weight);
  } else {
    gpu_->Call(thread, time, node, wire::CallOf(flags), record.weight);
  }
}

}  // namespace gprofx
