// Holds the GPU data of a recording: its timeline (core/gpu/gpu_timeline.h) and the other data that
// the processes of a run share.
//
// Owns the PC samples, the modules, the counts of lost data and the messages for the user. Limits
// how much a hostile target can make the profile grow. One thread. The profile must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/held_bytes.h"
#include "core/events/events.h"
#include "core/gpu/gpu_timeline.h"
#include "core/model/profile.h"
#include "samplers/collector/gpu/pc_table.h"
#include "samplers/wire/gpu.h"

namespace gprofx {

struct PcTotals {  // samples; received = exact + proportional + function_only + unattributed
  int64_t received = 0, exact = 0, proportional = 0, function_only = 0, unattributed = 0;
  int64_t dropped = 0;   // samples that the driver or the hardware lost
  int64_t expected = 0;  // samples with program counters that the sampling interface reported
  int64_t counted = 0;   // samples with program counters that arrived
};

struct GpuModuleCode {  // where a module's code is in the spool
  uint64_t offset = 0, bytes = 0;
};

struct GpuMessage {
  uint32_t notice = 0;  // wire::GpuNotice
  std::string text;
};

class GpuRun : public GpuTimeline {
 public:
  static constexpr size_t kMaxModules = 100'000;

  explicit GpuRun(Profile& profile) : GpuTimeline(profile), profile_(profile) {}

  void AddModule(const wire::GpuModuleRecord& record);
  const std::unordered_map<uint64_t, GpuModuleCode>& modules() const { return modules_; }
  // Returns the row of Profile::gpu.cubins for a module with PC samples, which is identified by
  // `hash`. Adds the row if it is new. Returns 0 if there is no room. The code of the module is
  // stored in the row only at the end (recorder/gpu/gpu_finish.h).
  CubinId Cubin(uint64_t hash);
  // Stores a fact "name=value" in the profile's meta data, as "gpu_name".
  void AddFact(std::string_view fact);
  void AddNotice(uint32_t notice, std::string_view text);
  std::vector<GpuMessage> TakeMessages() { return std::exchange(messages_, {}); }

  // AddPc and AddPcName pass their arguments on to PcTable::Add and PcTable::AddName.
  bool AddPc(const PcRowKey& key, uint64_t samples, uint64_t latency) {
    return pc_.Add(key, samples, latency);
  }
  void AddPcName(CubinId cubin, FunctionId function, const std::string& name) {
    pc_.AddName(cubin, function, name);
  }
  void CountPc(const PcTotals& more);
  const PcTable& pc() const { return pc_; }
  const PcTotals& pc_totals() const { return pc_totals_; }
  // Returns the PC samples that were added since the last call, as rows of Stream::kPcSamples.
  EventTable TakePcRows();

  // Approximate memory in bytes that is kept for all processes until the end, without the profile.
  size_t bytes() const {
    return GpuTimeline::bytes() + pc_.bytes() + HeldBytes(modules_) + HeldBytes(cubins_);
  }

  // Records that `thread` submits work to a GPU, and how much CPU time it had used before it first
  // did.
  void AddLaunching(ThreadId thread) {
    if (!thread || thread.value == latest_launching_) return;
    latest_launching_ = thread.value;
    const size_t at = thread.index();
    const int64_t before = at < profile_.threads.size() ? profile_.threads[at].cpu_ns : 0;
    launching_.try_emplace(thread.value, before);
  }
  void CountBad(int64_t count = 1) { bad_records_ += count; }
  // Writes the counters gpu_pc_..., gpu_bad_records and gpu_unlaunched to `quality`.
  void Publish(std::map<std::string, int64_t>& quality) const;

 private:
  Profile& profile_;
  PcTable pc_;
  PcTotals pc_totals_;
  std::unordered_map<uint64_t, GpuModuleCode> modules_;
  std::unordered_map<uint64_t, CubinId> cubins_;  // by hash
  std::vector<GpuMessage> messages_;
  std::set<uint32_t> said_;
  std::map<uint32_t, int64_t> launching_;  // by thread: CPU time before its first launch, ns
  uint32_t latest_launching_ = 0;
  int facts_ = 0;
  int64_t bad_records_ = 0;
};

}  // namespace gprofx
