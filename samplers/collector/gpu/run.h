// The GPU side of a recording: what the processes of a run share.
//
// Owns the rows of the event streams until the recorder takes them, the PC samples, the partition
// of wall time, the modules and what the user has to be told. Metrics and the like appear in the
// profile with the first GPU record, so that a program without a GPU has none. Bounds what a
// hostile target can make the profile grow to. One thread; the profile must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/events.h"
#include "core/profile.h"
#include "core/wall_lanes.h"
#include "core/wall_partition.h"
#include "samplers/collector/gpu/pc_table.h"
#include "samplers/collector/gpu/places.h"

namespace gprofx {

struct GpuMetrics {
  MetricId time, operations, wait, pc_samples, pc_latency;
  std::array<MetricId, kStallClasses> stalls;
};

struct GpuEvents {  // rows that were not handed over yet
  EventTable kernels{Stream::kKernels}, copies{Stream::kCopies}, sets{Stream::kSets},
      syncs{Stream::kSyncs}, calls{Stream::kCalls}, overheads{Stream::kOverheads};
};

struct PcTotals {  // samples; received = exact + proportional + function_only + unattributed
  int64_t received = 0, exact = 0, proportional = 0, function_only = 0, unattributed = 0;
  int64_t dropped = 0;   // by the driver or the hardware
  int64_t expected = 0;  // what the sampling interface says came with program counters
  int64_t counted = 0;   // what did
};

struct GpuModuleCode {  // where the code of a module is in the spool
  uint64_t offset = 0, bytes = 0;
};

struct GpuMessage {
  uint32_t notice = 0;  // wire::GpuNotice
  std::string text;
};

class GpuRun {
 public:
  static constexpr size_t kMostNodes = 6'000'000;  // of the profile, with those of the GPU
  static constexpr size_t kMostModules = 100'000;

  explicit GpuRun(Profile& profile) : places_(profile), profile_(profile) {}

  bool used() const { return metrics_.has_value(); }
  const GpuMetrics& metrics();

  // As Profile::Child, until the tree is too large; then a node that says so.
  NodeId Child(NodeId parent, FrameId frame);
  FrameId Marker(std::string_view text, FrameKind kind = FrameKind::kMarker);
  // Stands for the thread of work whose launch was not seen; found or made.
  ThreadId UnknownThread(ProcessId process);

  void AddModule(const wire::GpuModuleRecord& record);
  const std::unordered_map<uint64_t, GpuModuleCode>& modules() const { return modules_; }
  // Row of Profile::gpu.cubins for a module with PC samples, without its code so far; 0 = no room.
  uint32_t Cubin(uint64_t hash);
  // "name=value" -> meta["gpu_name"]
  void AddFact(std::string_view fact);
  void AddNotice(uint32_t notice, std::string_view text);
  std::vector<GpuMessage> TakeMessages() { return std::exchange(messages_, {}); }

  // Threads that put work on a GPU.
  void MarkThread(ThreadId thread);
  bool UsesGpu(ThreadId thread) const {
    return thread.value < uses_gpu_.size() && uses_gpu_[thread.value];
  }
  // Do its CPU samples say why no GPU is busy? Threads that use one; before any does, the program's
  // main thread: it imports and prepares.
  bool ExplainsIdle(ThreadId thread, ThreadId main) const {
    return uses_gpu_.empty() ? thread == main : UsesGpu(thread);
  }

  void CountBad(int64_t count = 1) { bad_records_ += count; }
  // The counters of this side: gpu_pc_..., gpu_bad_records, gpu_unlaunched.
  void Publish(std::map<std::string, int64_t>& quality) const;

  Profile& profile() { return profile_; }
  GpuPlaces& places() { return places_; }
  GpuEvents& events() { return events_; }
  PcTable& pc() { return pc_; }
  PcTotals& pc_totals() { return pc_totals_; }
  // What happened goes to the partition of the run and to those by process and GPU.
  void AddBusy(ProcessId process, uint32_t device, BusyClass what, HostNs begin, HostNs end);
  void AddWait(ProcessId process, const std::string& call, HostNs begin, HostNs end);
  void AddQueueFull(ProcessId process, HostNs begin, HostNs end);
  void AddSample(ThreadId thread, HostClass what, HostNs time, int64_t weight_ns);
  WallPartition& wall() { return wall_; }
  WallLanes& lanes() { return lanes_; }
  int64_t& unlaunched() { return unlaunched_; }

 private:
  GpuPlaces places_;
  Profile& profile_;
  std::optional<GpuMetrics> metrics_;
  GpuEvents events_;
  PcTable pc_;
  PcTotals pc_totals_;
  WallPartition wall_;
  WallLanes lanes_;
  std::unordered_map<uint64_t, GpuModuleCode> modules_;
  std::unordered_map<uint64_t, uint32_t> cubins_;           // by hash
  std::unordered_map<uint32_t, ThreadId> unknown_threads_;  // by process
  std::vector<GpuMessage> messages_;
  std::set<uint32_t> said_;
  std::vector<bool> uses_gpu_;  // by ThreadId::value
  int facts_ = 0;
  int64_t bad_records_ = 0;
  int64_t unlaunched_ = 0;  // kernels, copies and sets without a known launch
};

}  // namespace gprofx
