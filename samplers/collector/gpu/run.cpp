#include "samplers/collector/gpu/run.h"

#include <algorithm>

#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

constexpr int kMaxFacts = 256;
constexpr size_t kMaxNotices = 64, kMaxText = 2000;

bool IsFactName(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

void GpuRun::AddModule(const wire::GpuModuleRecord& record) {
  if (record.spool_bytes == 0 || modules_.size() >= kMaxModules) return;
  modules_.try_emplace(record.hash, GpuModuleCode{record.spool_offset, record.spool_bytes});
}

CubinId GpuRun::Cubin(uint64_t hash) {
  if (const auto found = cubins_.find(hash); found != cubins_.end()) return found->second;
  auto& rows = profile_.gpu.cubins;
  if (rows.size() >= kMaxModules) return {};
  rows.push_back({hash, {}});
  return cubins_[hash] = CubinId{static_cast<uint32_t>(rows.size())};
}

void GpuRun::AddFact(std::string_view fact) {
  const size_t equals = fact.find('=');
  if (equals == std::string_view::npos || !IsFactName(fact.substr(0, equals)) ||
      facts_ >= kMaxFacts) {
    CountBad();
    return;
  }
  ++facts_;
  profile_.meta["gpu_" + std::string(fact.substr(0, equals))] =
      std::string(fact.substr(equals + 1, kMaxText));
}

void GpuRun::AddNotice(uint32_t notice, std::string_view text) {
  if (said_.size() >= kMaxNotices || !said_.insert(notice).second) return;
  messages_.push_back({notice, std::string(text.substr(0, kMaxText))});
}

void GpuRun::CountPc(const PcTotals& more) {
  const auto count = [](int64_t& counter, int64_t amount) {
    counter = AddSaturated(counter, amount);
  };
  count(pc_totals_.received, more.received);
  count(pc_totals_.exact, more.exact);
  count(pc_totals_.proportional, more.proportional);
  count(pc_totals_.function_only, more.function_only);
  count(pc_totals_.unattributed, more.unattributed);
  count(pc_totals_.dropped, more.dropped);
  count(pc_totals_.expected, more.expected);
  count(pc_totals_.counted, more.counted);
}

EventTable GpuRun::TakePcRows() {
  EventTable rows(Stream::kPcSamples);
  pc_.AppendDelta(rows);
  return rows;
}

void GpuRun::Publish(std::map<std::string, int64_t>& quality) const {
  int64_t launching_ns = 0;
  for (const auto& [thread, before] : launching_) {
    if (thread > profile_.threads.size()) continue;
    const int64_t after = profile_.threads[thread - 1].cpu_ns - before;
    launching_ns = AddSaturated(launching_ns, std::max<int64_t>(after, 0));
  }
  quality["gpu_launching_cpu_ns"] = launching_ns;
  quality["gpu_bad_records"] = bad_records_;
  quality["gpu_unlaunched"] = unlaunched();
  quality["gpu_pc_received"] = pc_totals_.received;
  quality["gpu_pc_exact"] = pc_totals_.exact;
  quality["gpu_pc_proportional"] = pc_totals_.proportional;
  quality["gpu_pc_function_only"] = pc_totals_.function_only;
  quality["gpu_pc_unattributed"] = pc_totals_.unattributed;
  quality["gpu_pc_dropped"] = pc_totals_.dropped;
  // The number of samples that the sampling interface reports, minus the number that arrived. A
  // value other than 0 means that records were lost on the way.
  quality["gpu_pc_missing"] = pc_totals_.expected - pc_totals_.counted;
  quality["gpu_wall_late_ns"] = late_wall_ns();
}

}  // namespace gprofx
