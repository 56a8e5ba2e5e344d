#include "samplers/collector/gpu/pc_ingest.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "samplers/collector/gpu/decode.h"

namespace gprofx {
namespace {

constexpr std::string_view kPrefix = "smsp__pcsamp_warps_issue_stalled_";
constexpr std::string_view kLatencySuffix = "_not_issued";
constexpr size_t kMaxStalls = 256;  // max number of stall reasons; Hopper has 40

}  // namespace

bool PcIngest::AddStallName(uint32_t index, std::string_view name) {
  if (stalls_.size() >= kMaxStalls || name.size() > 256) return false;
  Stall stall;
  if (name.starts_with(kPrefix)) {
    name.remove_prefix(kPrefix.size());
    stall.latency = name.ends_with(kLatencySuffix);
    if (stall.latency) name.remove_suffix(kLatencySuffix.size());
    stall.reason = ReasonOf(name);
  }
  stalls_[index] = stall;
  return true;
}

uint32_t PcIngest::ReasonOf(std::string_view name) {
  for (size_t i = 0; i < reasons_.size(); ++i) {
    if (reasons_[i].name == name) return static_cast<uint32_t>(i + 1);
  }
  const std::string text(name);
  reasons_.push_back({text, profile_.Intern(text), StallClassOf(text)});
  return static_cast<uint32_t>(reasons_.size());
}

bool PcIngest::AddWindow(std::span<const std::byte> record, HostNs now) {
  const auto window = DecodeGpu<wire::GpuPcWindowRecord>(record);
  // Reject larger numbers. No hardware takes so many samples in one window, and sums of smaller
  // numbers do not overflow.
  constexpr uint64_t kMaxSamples = uint64_t{1} << 40;
  if (!window || window->total > kMaxSamples || window->non_user > kMaxSamples ||
      window->dropped > kMaxSamples) {
    return false;
  }
  const auto time = [now](uint64_t t) {
    return static_cast<HostNs>(std::min<uint64_t>(t, static_cast<uint64_t>(now)));
  };
  attribution_.BeginWindow(time(window->begin), time(window->end), now);
  const uint64_t other = window->non_user + window->dropped;
  run_.CountPc({.received = ToSigned(window->non_user),
                .unattributed = ToSigned(window->non_user),
                .dropped = ToSigned(window->dropped),
                .expected = ToSigned(window->total - std::min(window->total, other))});
  return true;
}

bool PcIngest::AddRecord(std::span<const std::byte> record) {
  const auto pc = DecodeGpu<wire::GpuPcRecord>(record);
  if (!pc || (record.size() - sizeof *pc) / sizeof(wire::GpuPcStall) < pc->stalls ||
      pc->stalls > kMaxStalls) {
    return false;
  }
  const KernelName& name = names_.Find(pc->name);
  const CubinId cubin = run_.Cubin(pc->module);
  run_.AddPcName(cubin, name.shown.function, name.name);
  counts_.clear();
  for (uint32_t i = 0; i < pc->stalls; ++i) {
    const auto entry =
        DecodeGpu<wire::GpuPcStall>(record.subspan(sizeof *pc + i * sizeof(wire::GpuPcStall)));
    const auto stall = stalls_.find(entry->reason);
    if (stall == stalls_.end() || stall->second.reason == 0) continue;
    auto count = std::find_if(counts_.begin(), counts_.end(),
                              [&](const PcCount& c) { return c.stall == stall->second.reason; });
    if (count == counts_.end()) {
      count = counts_.insert(count, {KeyOf(pc->context, name), cubin, name.shown.function,
                                     pc->offset, stall->second.reason, 0, 0});
    }
    (stall->second.latency ? count->latency : count->samples) += entry->samples;
  }
  for (PcCount& count : counts_) {
    count.latency = std::min(count.latency, count.samples);
    if (count.samples == 0) continue;
    run_.CountPc({.received = ToSigned(count.samples), .counted = ToSigned(count.samples)});
    attribution_.AddCount(count);
  }
  return true;
}

void PcIngest::AddKernel(PcFunctionKey key, HostNs start, HostNs end, PcPath path, uint64_t warps) {
  attribution_.AddKernel(key, start, end, path, warps);
}

void PcIngest::Advance(HostNs now) {
  attribution_.Advance(now, [this](const PcCount& part, const PcPath& path, PcConfidence how) {
    Take(part, path, how);
  });
}

void PcIngest::Finish() {
  attribution_.Finish(
      [this](const PcCount& part, const PcPath& path, PcConfidence how) { Take(part, path, how); });
}

void PcIngest::Take(const PcCount& part, const PcPath& path, PcConfidence confidence) {
  const Reason& reason = reasons_[part.stall - 1];
  const PcRowKey key{part.cubin, part.function, part.offset, reason.text,
                     path.node,  path.thread,   confidence};
  const bool kept = run_.AddPc(key, part.samples, part.latency);
  const bool known = kept && confidence != PcConfidence::kNone && path.node;
  PcTotals totals;
  (!known                                      ? totals.unattributed
   : confidence == PcConfidence::kExact        ? totals.exact
   : confidence == PcConfidence::kProportional ? totals.proportional
                                               : totals.function_only) = ToSigned(part.samples);
  run_.CountPc(totals);
  if (!known) return;
  const GpuMetrics& metrics = run_.metrics();
  profile_.AddSelf(path.node, path.thread, metrics.pc_samples, ToSigned(part.samples));
  profile_.AddSelf(path.node, path.thread, metrics.stalls[static_cast<size_t>(reason.stall_class)],
                   ToSigned(part.samples));
  if (part.latency > 0) {
    profile_.AddSelf(path.node, path.thread, metrics.pc_latency, ToSigned(part.latency));
  }
}

}  // namespace gprofx
