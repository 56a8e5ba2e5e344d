#include "core/forecast/recorded_kernels.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "core/base/arithmetic.h"
#include "core/gpu/gpu.h"
#include "core/model/inherit.h"

namespace gprofx::forecast {
namespace {

constexpr int64_t kMinStalls = 20;  // minimum number of samples that is significant

bool IsProduct(KernelFamily family) {
  return family == KernelFamily::kGemm || family == KernelFamily::kConvolution ||
         family == KernelFamily::kAttention;
}

// Sets the number type that the short name contains, and `no_type` for types that only newer
// devices have.
void SetType(RecordedKernel& kernel) {
  struct Word {
    std::string_view word;
    NumberType type;
    bool newer;
  };
  static constexpr Word kWords[] = {
      {"f16", NumberType::kBf16, false}, {"bf16", NumberType::kBf16, true},
      {"tf32", NumberType::kBf16, true}, {"f32", NumberType::kFp32, false},
      {"f64", NumberType::kFp32, false}, {"e4m3", NumberType::kFp8, true},
      {"e5m2", NumberType::kFp8, true},  {"i8", NumberType::kFp8, false},
  };
  if (kernel.family == KernelFamily::kAttention) kernel.type = NumberType::kBf16;
  const std::string_view name = kernel.name;
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find(' ', begin), name.size());
    for (const Word& word : kWords) {
      if (name.substr(begin, end - begin) != word.word) continue;
      kernel.type = word.type;
      kernel.no_type = word.newer;
      kernel.tf32 = word.word == "tf32";
      return;
    }
    begin = end + 1;
  }
}

// Returns the fraction of the time that scales with the memory rate, for kernels that work on rows
// or windows. In the rest of their time, they wait for other things. The values were measured with
// the same kernels in the training of a GPT-2 and a ResNet-50 on an H100 and an H200; these differ
// by a factor of 1.42 in the memory rate and in little else. Returns nullopt for other kernels.
std::optional<double> MemoryShareOf(const KernelWhat& what) {
  switch (what.family) {
    case KernelFamily::kNorm:
      return what.what.find("batch_norm") != std::string::npos ? 0.35 : 0.1;
    case KernelFamily::kSoftmax:
      return 0.9;
    case KernelFamily::kReduction:
      return 0.6;
    case KernelFamily::kPooling:
      return 0.1;
    default:
      return std::nullopt;
  }
}

RecordedKernel FromName(std::string_view full) {
  RecordedKernel kernel;
  const KernelWhat what = WhatKernelDoes(full);
  kernel.name = what.what;
  kernel.family = what.family;
  if (what.family == KernelFamily::kOther) return kernel;
  kernel.source = WorkSource::kName;
  if (!IsProduct(what.family)) {
    if (const std::optional<double> share = MemoryShareOf(what)) {
      kernel.memory_share = *share;
      kernel.mixed = true;
    } else {
      kernel.streams = what.family != KernelFamily::kCollective;
    }
    return kernel;
  }
  SetType(kernel);
  // A matrix-vector product reads the matrix once.
  (what.what.find("gemv") != std::string::npos ? kernel.streams : kernel.computes) = true;
  return kernel;
}

struct Stalls {
  int64_t memory = 0, compute = 0;
};

// Returns the number of stall samples for memory and for arithmetic, by frame of the kernel.
std::unordered_map<uint32_t, Stalls> StallsOf(const Profile& profile) {
  const auto metric = [&](StallClass kind) {
    return profile.FindMetric(std::string(kMetricStallPrefix) +
                              kStallClassNames[static_cast<size_t>(kind)]);
  };
  const MetricId memory = metric(StallClass::kMemory), compute = metric(StallClass::kCompute);
  std::unordered_map<uint32_t, Stalls> out;
  if (!memory || !compute) return out;
  const auto kernel_of =
      InheritDown<FrameId>(profile.nodes, [&](const FrameId& above, FrameId frame) {
        const bool own = frame && profile.frame(frame).kind == FrameKind::kGpuKernel;
        return own ? frame : above;
      });
  for (const Value& value : profile.values) {
    if (!value.node || (value.metric != memory && value.metric != compute)) continue;
    const FrameId kernel = kernel_of[value.node.index()];
    if (!kernel) continue;
    Stalls& stalls = out[kernel.value];
    int64_t& sum = value.metric == memory ? stalls.memory : stalls.compute;
    sum = AddSaturated(sum, value.self);
  }
  return out;
}

struct OperatorSums {
  int64_t flop = 0, bytes = 0, products = 0;
};

// Returns the FLOP and bytes of operators with known shapes, by node.
std::unordered_map<uint32_t, OperatorSums> OperatorsOf(const Profile& profile) {
  std::unordered_map<uint32_t, OperatorSums> out;
  const MetricId flop = profile.FindMetric(kMetricOperatorFlop);
  const MetricId bytes = profile.FindMetric(kMetricOperatorBytes);
  if (!flop || !bytes) return out;
  for (const Value& value : profile.values) {
    if (!value.node || (value.metric != flop && value.metric != bytes)) continue;
    OperatorSums& sums = out[value.node.value];
    int64_t& sum = value.metric == flop ? sums.flop : sums.bytes;
    sum = AddSaturated(sum, value.self);
  }
  return out;
}

// Returns the node of the operator that launched the work at `node`; 0 if there is none.
uint32_t OperatorAbove(const Profile& profile, NodeId node) {
  for (; node; node = profile.node(node).parent) {
    const FrameId frame = profile.node(node).frame;
    if (frame && profile.frame(frame).kind == FrameKind::kOperator) return node.value;
  }
  return 0;
}

}  // namespace

std::string_view WorkSourceWord(WorkSource source) {
  constexpr std::string_view kWords[] = {"shapes", "name", "stalls", "nothing"};
  return kWords[static_cast<size_t>(source)];
}

RecordedKernels::RecordedKernels(const Profile& profile, const ReplayEvents& events)
    : profile_(profile), kernels_(1), of_node_(profile.nodes.size()) {
  const std::unordered_map<uint32_t, Stalls> stalls = StallsOf(profile);
  std::unordered_map<uint32_t, uint32_t> of_frame;
  for (const ReplayOperation& operation : events.operations) {
    if (!operation.node || of_node_[operation.node.index()] != 0) continue;
    const FrameId frame = profile.node(operation.node).frame;
    if (!frame) continue;
    const auto [known, is_new] =
        of_frame.try_emplace(frame.value, static_cast<uint32_t>(kernels_.size()));
    of_node_[operation.node.index()] = known->second;
    if (!is_new) continue;
    const FunctionId function = profile.frame(frame).function;
    RecordedKernel kernel =
        FromName(function ? profile.Text(profile.function(function).name) : std::string_view());
    if (kernel.source == WorkSource::kNothing) {
      const auto samples = stalls.find(frame.value);
      const Stalls sums = samples == stalls.end() ? Stalls{} : samples->second;
      if (const int64_t all = AddSaturated(sums.memory, sums.compute); all >= kMinStalls) {
        kernel.source = WorkSource::kStalls;
        kernel.memory_share = static_cast<double>(sums.memory) / static_cast<double>(all);
      }
    }
    kernels_.push_back(std::move(kernel));
  }
  std::vector<std::string_view> names;
  for (const auto& [frame, kernel] : of_frame) {
    const FunctionId function = profile.frame(FrameId{frame}).function;
    if (function) names.push_back(profile.Text(profile.function(function).name));
  }
  work_ = ThreadWorkOf(names);
  // If one operator runs several products, its work is divided among them.
  std::unordered_map<uint32_t, OperatorSums> operators = OperatorsOf(profile);
  if (operators.empty()) return;
  std::unordered_map<uint32_t, uint32_t> above;  // node of a product -> node of its operator
  for (const ReplayOperation& operation : events.operations) {
    if (!operation.node || At(operation.node).family != KernelFamily::kGemm) continue;
    const auto [known, is_new] = above.try_emplace(operation.node.value);
    if (is_new) known->second = OperatorAbove(profile, operation.node);
    const auto work = operators.find(known->second);
    if (work != operators.end()) ++work->second.products;
  }
  for (const auto& [node, op] : above) {
    const auto work = operators.find(op);
    if (work == operators.end() || work->second.flop <= 0) continue;
    RecordedKernel kernel = At(NodeId{node});
    const auto products = static_cast<double>(work->second.products);
    kernel.flop = static_cast<double>(work->second.flop) / products;
    kernel.bytes = static_cast<double>(work->second.bytes) / products;
    kernel.source = WorkSource::kShapes;
    kernel.streams = kernel.computes = false;
    of_node_[NodeId{node}.index()] = static_cast<uint32_t>(kernels_.size());
    kernels_.push_back(std::move(kernel));
  }
}

double RecordedKernels::LaunchBytes(NodeId node, GpuConfigId config) const {
  const FrameId frame = node ? profile_.node(node).frame : FrameId{};
  const FunctionId function = frame ? profile_.frame(frame).function : FunctionId{};
  if (!function || !config || config.value > profile_.gpu.configs.size()) return 0;
  const auto [known, is_new] = bytes_.try_emplace(uint64_t{frame.value} << 32 | config.value, 0.0);
  if (is_new) {
    const LaunchWork work = WorkOfLaunch(profile_.Text(profile_.function(function).name),
                                         profile_.gpu.configs[config.index()], work_);
    known->second = static_cast<double>(work.bytes.value_or(0));
  }
  return known->second;
}

const RecordedKernel& RecordedKernels::At(NodeId node) const {
  return kernels_[node ? of_node_[node.index()] : 0];
}

}  // namespace gprofx::forecast
