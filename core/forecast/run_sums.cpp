#include "core/forecast/run_sums.h"

#include <algorithm>

#include "core/base/arithmetic.h"

namespace gprofx::forecast {
namespace {

constexpr double kWorthSaying = 0.001;

std::string UnknownNames(const std::vector<RunShare>& shares) {
  constexpr size_t kMax = 3;
  std::string out;
  size_t count = 0;
  for (const RunShare& share : shares) {
    if (share.source != WorkSource::kNothing) continue;
    if (count++ < kMax) out += (out.empty() ? "" : ", ") + share.name;
  }
  return count > kMax ? out + " and " + std::to_string(count - kMax) + " more" : out;
}

}  // namespace

RunSums::Sum& RunSums::SumOf(const ReplayOperation& operation) {
  if (last_ != nullptr && last_node_ == operation.node) return *last_;
  const uint32_t frame = operation.node ? profile_.node(operation.node).frame.value : 0;
  last_ = &sums_[{frame, kernels_.At(operation.node).source}];
  last_node_ = last_->node = operation.node;
  return *last_;
}

void RunSums::Add(const ReplayOperation& operation, int64_t now_ns, const CarriedWork& then,
                  Untold untold) {
  const auto raise = [](int64_t& sum, int64_t by) { sum = AddSaturated(sum, by); };
  raise(now_ns_, now_ns);
  raise(then_ns_, then.ns);
  if (operation.node) {
    RunNode& node = nodes_[operation.node.index()];
    raise(node.now_ns, now_ns);
    raise(node.then_ns, then.ns);
  }
  Sum& sum = SumOf(operation);
  ++sum.runs;
  raise(sum.now_ns, now_ns);
  raise(sum.then_ns, then.ns);
  raise(sum.bounds[static_cast<size_t>(then.bound)], then.ns);
  raise(untold_[static_cast<size_t>(untold)], then.ns);
}

std::vector<RunShare> RunSums::Shares(int64_t steps) const {
  std::map<std::string, std::pair<RunShare, std::array<int64_t, 3>>> rows;
  for (const auto& [key, sum] : sums_) {
    const RecordedKernel& kernel = kernels_.At(sum.node);
    auto& [row, bounds] = rows[kernel.name.empty() ? "?" : kernel.name];
    if (sum.then_ns >= row.then_ns) row.source = kernel.source;
    row.runs += static_cast<double>(sum.runs) / static_cast<double>(steps);
    row.now_ns = AddSaturated(row.now_ns, sum.now_ns);
    row.then_ns = AddSaturated(row.then_ns, sum.then_ns);
    for (size_t i = 0; i < bounds.size(); ++i) bounds[i] = AddSaturated(bounds[i], sum.bounds[i]);
  }
  std::vector<RunShare> out;
  for (auto& [name, entry] : rows) {
    auto& [row, bounds] = entry;
    row.name = name;
    row.bound =
        static_cast<KernelBound>(std::max_element(bounds.begin(), bounds.end()) - bounds.begin());
    row.now_ns /= steps;
    row.then_ns /= steps;
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const RunShare& a, const RunShare& b) { return a.then_ns > b.then_ns; });
  return out;
}

std::vector<RunNode> RunSums::Nodes() const {
  std::vector<RunNode> out;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].now_ns == 0 && nodes_[i].then_ns == 0) continue;
    out.push_back(nodes_[i]);
    out.back().node = NodeId{static_cast<uint32_t>(i + 1)};
  }
  return out;
}

std::vector<RunUntold> RunSums::WhatIsUntold(const Device& target,
                                             const std::vector<RunShare>& shares) const {
  std::vector<RunUntold> out;
  const auto say = [&](Untold untold, const std::string& what) {
    const auto ns = static_cast<double>(untold_[static_cast<size_t>(untold)]);
    const double share = then_ns_ > 0 ? ns / static_cast<double>(then_ns_) : 0;
    if (share >= kWorthSaying) out.push_back({what, share});
  };
  say(Untold::kUnknownWork,
      "kernels of unknown work, scaled half by arithmetic and half by memory: " +
          UnknownNames(shares));
  say(Untold::kNoType,
      "products in a type that " + target.name + " does not have: forecast at the rate of FP16");
  say(Untold::kCollective,
      "collectives: their size is derived from their time, which includes waits for late peers");
  say(Untold::kPageable, "copies of pageable memory, which the host makes: as recorded");
  say(Untold::kNoLink, "copies to and from the host: as recorded, because the link is unknown");
  return out;
}

}  // namespace gprofx::forecast
