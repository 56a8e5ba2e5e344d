#include "samplers/collector/gpu/pc_attribution.h"

#include <algorithm>

namespace gprofx {

void PcAttribution::AddKernel(PcFunctionKey key, HostNs start, HostNs end, PcPath path,
                              uint64_t warps) {
  if (key == 0 || end < start) return;
  if (functions_.size() >= kMaxFunctions && !functions_.contains(key)) return;
  latest_kernel_ = std::max(latest_kernel_, end);
  Function& function = functions_[key];
  function.latest = path;
  const double weight = static_cast<double>(std::max<HostNs>(end - start, 1)) *
                        static_cast<double>(std::max<uint64_t>(warps, 1));
  if (!function.executions.empty()) {
    Execution& last = function.executions.back();
    const bool near = start >= last.start && start - last.end <= kMergeGap &&
                      std::max(end, last.end) - last.start <= kMergeSpan;
    if (last.path == path && near) {
      last.end = std::max(last.end, end);
      last.weight += weight;
      function.longest = std::max(function.longest, last.end - last.start);
      return;
    }
  }
  if (executions_ >= kMaxExecutions) Forget(latest_kernel_ - kKeep / 10);
  // All executions are recent; Share falls back on `latest`.
  if (executions_ >= kMaxExecutions) return;
  function.executions.push_back({start, end, path, weight});
  function.longest = std::max(function.longest, end - start);
  ++executions_;
}

void PcAttribution::BeginWindow(HostNs begin, HostNs end, HostNs now) {
  windows_.push_back({begin, std::max(begin, end), now, {}});
  ++waiting_;
}

void PcAttribution::AddCount(const PcCount& count) {
  if (windows_.empty()) BeginWindow(latest_kernel_, latest_kernel_, latest_kernel_);
  windows_.back().counts.push_back(count);
  ++waiting_;
}

void PcAttribution::Advance(HostNs now, const Sink& sink) {
  looks_left_ = kMaxLooks;
  while (!windows_.empty()) {
    const Window& window = windows_.front();
    const bool settled = latest_kernel_ >= window.end + kSettle;
    const bool late = now - std::max(window.end, window.arrived) >= kPatience;
    // The newest window may still receive counts. It is complete only kSettle after its arrival.
    const bool whole = windows_.size() > 1 || now - window.arrived >= kSettle;
    if (!(whole && (settled || late)) && waiting_ <= kMaxWaiting) break;
    WorkOff(window, sink);
    windows_.pop_front();
  }
  // Forget old executions, but keep those that a waiting window needs.
  HostNs keep_from = now - kKeep;
  if (!windows_.empty()) keep_from = std::min(keep_from, windows_.front().begin - 2 * kSlack);
  if (keep_from - forgotten_until_ > kKeep / 10) {
    Forget(keep_from);
    forgotten_until_ = keep_from;
  }
}

void PcAttribution::Finish(const Sink& sink) {
  looks_left_ = kMaxLooks;
  for (const Window& window : windows_) WorkOff(window, sink);
  windows_.clear();
}

void PcAttribution::WorkOff(const Window& window, const Sink& sink) {
  std::unordered_map<PcFunctionKey, Split> splits;
  std::vector<double> weights;
  std::vector<double*> carry;
  for (const PcCount& count : window.counts) {
    auto found = splits.find(count.key);
    if (found == splits.end()) {
      found = splits.emplace(count.key, SplitFor(count.key, window.begin, window.end)).first;
    }
    const Split& split = found->second;
    if (split.shares.size() <= 1) {
      sink(count, split.shares.empty() ? PcPath{} : split.shares[0].path, split.confidence);
      continue;
    }
    weights.clear();
    carry.clear();
    for (const Share& share : split.shares) {
      weights.push_back(share.weight);
      carry.push_back(share.carry);
    }
    const std::vector<uint64_t> samples = SplitCount(count.samples, weights, carry);
    // Split the latency samples in proportion to the samples. The latency samples of a part must
    // not exceed its samples.
    std::vector<uint64_t> latency(samples.size(), 0);
    if (count.latency > 0 && count.samples > 0) {
      std::vector<double> by_samples(samples.begin(), samples.end()), none(samples.size(), 0.0);
      std::vector<double*> no_carry;
      for (double& zero : none) no_carry.push_back(&zero);
      latency = SplitCount(count.latency, by_samples, no_carry);
    }
    for (size_t i = 0; i < samples.size(); ++i) {
      if (samples[i] == 0 && latency[i] == 0) continue;
      PcCount part = count;
      part.samples = samples[i];
      part.latency = std::min(latency[i], samples[i]);
      sink(part, split.shares[i].path, split.confidence);
    }
  }
  waiting_ -= window.counts.size() + 1;
}

PcAttribution::Split PcAttribution::SplitFor(PcFunctionKey key, HostNs begin, HostNs end) {
  Split split;
  const auto found = functions_.find(key);
  if (found == functions_.end()) return split;
  Function& function = found->second;
  std::map<PcPath, double> inside, before;  // weight of each path
  // Executions arrive nearly in order of their ends. Search one more kSlack back for those that do
  // not.
  for (auto it = function.executions.rbegin(); it != function.executions.rend(); ++it) {
    if (it->end < begin - 2 * kSlack - function.longest || --looks_left_ < 0) break;
    const auto density = it->weight / static_cast<double>(std::max<HostNs>(it->end - it->start, 1));
    const auto overlap = [&](HostNs from, HostNs to) {
      return static_cast<double>(std::max<HostNs>(
          std::min(it->end, to) - std::max(it->start, from) + (it->start == it->end ? 1 : 0), 0));
    };
    if (const double ns = overlap(begin, end); ns > 0) inside[it->path] += ns * density;
    if (const double ns = overlap(begin - kSlack, begin); ns > 0) before[it->path] += ns * density;
  }
  const std::map<PcPath, double>& used = inside.empty() ? before : inside;
  if (used.empty()) {
    split.shares.push_back({function.latest, 1, nullptr});
    split.confidence = PcConfidence::kFunctionOnly;
    return split;
  }
  constexpr size_t kMaxCarries = 10'000;
  if (function.carry.size() > kMaxCarries) function.carry.clear();
  for (const auto& [path, weight] : used) {
    split.shares.push_back({path, weight, &function.carry[path]});
  }
  split.confidence = used.size() == 1 ? PcConfidence::kExact : PcConfidence::kProportional;
  return split;
}

void PcAttribution::Forget(HostNs before) {
  for (auto& [key, function] : functions_) {
    while (!function.executions.empty() && function.executions.front().end < before) {
      function.executions.pop_front();
      --executions_;
    }
    if (function.executions.empty()) function.longest = 0;
  }
}

}  // namespace gprofx
