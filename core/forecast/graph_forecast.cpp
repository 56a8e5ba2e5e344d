#include "core/forecast/graph_forecast.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "core/forecast/collective.h"
#include "core/forecast/fusion.h"

namespace gprofx::forecast {
namespace {

constexpr double kBytesOfGradient = 4;
// Milliseconds to allocate a GB of memory. Measured steps begin with an empty memory cache. The
// driver therefore allocates the memory of everything that the forward pass keeps for the backward
// pass. That took 0 to 0.5 ms per GB on two hosts, and 0 to 7 ms on another.
constexpr double kMemoryMsPerGb = 0.3;

// Reduces the work of an operator to the share of one GPU, if the GPUs divide the batch or the
// tensors.
class Divider {
 public:
  Divider(const ModelGraph& graph, double batch_share, int tensor)
      : tokens_(graph.batch * graph.sequence),
        hidden_(graph.hidden),
        batch_share_(batch_share),
        tensor_(tensor) {}

  KernelWork Part(const GraphOp& op) const {
    KernelWork work = op.work;
    if (op.pass == GraphPass::kAccumulate) {
      work.k = std::max(1.0, work.k / tensor_);
      return work;
    }
    ShareBatch(work);
    if (tensor_ > 1) ShareTensors(work);
    return work;
  }

 private:
  void ShareBatch(KernelWork& work) const {
    if (batch_share_ == 1) return;
    double* size = &work.m;
    if (work.family == WorkFamily::kBatchedProduct) size = &work.b;
    if (work.family == WorkFamily::kCopy) size = &work.k;
    // In the product that computes the gradient of a weight, the batch is part of the reduction n
    // and not of the rows m.
    if (work.family == WorkFamily::kLinear && work.m != tokens_ && work.n == tokens_) {
      size = &work.n;
    }
    *size = std::max(1.0, std::round(*size * batch_share_));
  }

  void ShareTensors(KernelWork& work) const {
    const auto divide = [this](double& size) { size = std::max(1.0, std::ceil(size / tensor_)); };
    switch (work.family) {
      case WorkFamily::kLinear:
        divide(work.k >= work.n ? work.k : work.n);
        break;
      case WorkFamily::kBatchedProduct:
        divide(work.b);
        break;
      case WorkFamily::kNorm:
        break;
      case WorkFamily::kCopy:
        divide(work.k);
        break;
      default:
        // With tensor parallelism, residual sums (rows of the hidden size) run in full on each GPU.
        // Other elementwise work is divided.
        if (work.k != hidden_) divide(work.k > hidden_ ? work.k : work.m);
    }
  }

  double tokens_, hidden_, batch_share_;
  int tensor_;
};

// Sums of the times of one GPU's kernels: of one layer, and of everything outside of layers.
struct PassSums {
  double layer[kGraphPasses] = {0, 0, 0};
  double rest[kGraphPasses] = {0, 0, 0};
  double communication = 0;
};

bool IsTiny(const KernelWork& work) {
  // Such small copies are shapes and scalars that the host handles.
  return work.family == WorkFamily::kCopy && work.k <= 64;
}

class Summer {
 public:
  Summer(const GraphPlan& plan, const Forecaster& forecaster, GraphForecast& out)
      : plan_(plan), forecaster_(forecaster), out_(out) {}

  void Add(const GraphNode& node, const GraphOp& op, const KernelWork& work) {
    if (!plan_.training && op.pass != GraphPass::kForward) return;
    const int times = node.in_layer ? plan_.layers : 1;
    const size_t pass = static_cast<size_t>(op.pass);
    if (!op.collective.empty()) {
      const int gpus = std::max({2, plan_.tensor, plan_.data, plan_.pipeline});
      const double ms = ForecastCollective(forecaster_.table(), forecaster_.device(), op.collective,
                                           gpus, work.Bytes())
                            .ms;
      sums.communication += ms * times;
      (node.in_layer ? sums.layer : sums.rest)[pass] += ms;
      return;
    }
    if (IsTiny(work)) return;
    KernelForecast kernel = forecaster_.Kernel(work, false);
    // The backward pass takes longer than its operators: autograd also runs transposed copies, sums
    // and masks, which are not in the graph.
    if (op.pass == GraphPass::kBackward) {
      kernel.ms *= forecaster_.table().GradientFactor(node.kind);
    }
    (node.in_layer ? sums.layer : sums.rest)[pass] += kernel.ms;
    const double ms = kernel.ms * times;
    NodeShare& share = nodes_[&node];
    if (ms > share.ms) share.bound = kernel.bound;
    share.ms += ms;
    FamilyShare& family = families_[work.family];
    family.family = work.family;
    family.ms += ms;
    family.kernels += static_cast<uint64_t>(times);
    out_.kernels += static_cast<uint64_t>(times);
    out_.bound_ms[static_cast<size_t>(kernel.bound)] += ms;
    if (kernel.extrapolated) out_.extrapolated_ms += ms;
  }

  void Finish() {
    for (auto& [node, share] : nodes_) {
      share.name = node->name;
      share.kind = node->kind;
      out_.nodes.push_back(share);
    }
    for (auto& [family, share] : families_) out_.families.push_back(share);
    const auto longer = [](const auto& a, const auto& b) { return a.ms > b.ms; };
    std::stable_sort(out_.nodes.begin(), out_.nodes.end(), longer);
    std::stable_sort(out_.families.begin(), out_.families.end(), longer);
  }

  PassSums sums;

 private:
  const GraphPlan& plan_;
  const Forecaster& forecaster_;
  GraphForecast& out_;
  // The pointers are to elements of one array, so the map is in the order of the graph.
  std::map<const GraphNode*, NodeShare> nodes_;
  std::map<WorkFamily, FamilyShare> families_;
};

double AllReduceMs(const Forecaster& forecaster, int gpus, double bytes) {
  return ForecastCollective(forecaster.table(), forecaster.device(), "all_reduce", gpus, bytes).ms;
}

// Returns the time that summing gradients over the GPUs takes beyond the end of the backward pass.
// Each layer's gradients are summed while the backward pass computes those of the layer before it.
// The first layer's gradients are computed last.
double ExposedGradients(const ModelGraph& graph, const GraphPlan& plan, const PassSums& sums,
                        const Forecaster& forecaster) {
  const auto sum = [&](double weights) {
    return AllReduceMs(forecaster, plan.data, kBytesOfGradient * weights / plan.tensor);
  };
  const double layer_compute = sums.layer[1] + sums.layer[2];
  double now = sums.rest[1] + sums.rest[2];  // first the head, then the layers in reverse order
  double link_free = now + sum(graph.weights - graph.layer_weights);
  for (int layer = 0; layer < plan.layers && graph.has_layer; ++layer) {
    now += layer_compute;
    link_free = std::max(link_free, now) + sum(graph.layer_weights);
  }
  return std::max(0.0, link_free - now);
}

double KeptGb(const ModelGraph& graph, const GraphPlan& plan, double batch_share) {
  double elements = 0;
  for (const GraphNode& node : graph.nodes) {
    const bool runs = std::any_of(node.ops.begin(), node.ops.end(),
                                  [](const GraphOp& op) { return op.pass == GraphPass::kForward; });
    if (runs) elements += node.output_elements * (node.in_layer ? plan.layers : 1);
  }
  return elements * BytesOf(NumberType::kFp32) * batch_share / plan.tensor / plan.pipeline / 1e9;
}

void SetTotals(const ModelGraph& graph, const GraphPlan& plan, const PassSums& sums,
               const Forecaster& forecaster, GraphForecast& out) {
  double pass[kGraphPasses];
  for (size_t i = 0; i < kGraphPasses; ++i) {
    pass[i] = sums.layer[i] * plan.layers + sums.rest[i];
  }
  out.communication_ms = sums.communication;
  if (plan.tensor > 1 && !graph.divided) {
    // With tensor parallelism, the GPUs sum the outputs of each layer twice in the forward pass and
    // twice in the backward pass.
    const double bytes = 4 * graph.hidden * graph.sequence * graph.batch *
                         (plan.batch > 0 && graph.batch > 0
                              ? plan.batch / plan.data / plan.microbatches / graph.batch
                              : 1);
    const double one = AllReduceMs(forecaster, plan.tensor, bytes) * 2 * plan.layers;
    pass[0] += one;
    if (plan.training) pass[1] += one;
    out.communication_ms += one * (plan.training ? 2 : 1);
  }
  out.forward_ms = pass[0] * plan.microbatches;
  out.backward_ms = pass[1] * plan.microbatches;
  out.accumulate_ms = pass[2] * plan.microbatches;
  const double once = pass[0] + pass[1] + pass[2];
  if (plan.pipeline > 1) {
    // The first microbatch passes through all stages. Each further microbatch adds the time of the
    // longest stage. The last stage also runs the head.
    const double layers = once - sums.rest[0] - sums.rest[1] - sums.rest[2];
    const double longest =
        std::max(layers / plan.pipeline + (once - layers) / 2, once / plan.pipeline);
    const double bytes = 4 * graph.hidden * graph.sequence * graph.batch;
    const double send =
        ForecastCollective(forecaster.table(), forecaster.device(), "send", 2, bytes).ms *
        (plan.training ? 2 : 1);
    const double sends = (static_cast<double>(plan.microbatches) + plan.pipeline - 2) * send;
    out.ms = once + (plan.microbatches - 1) * longest + sends;
    out.bubble_ms = out.ms - once * plan.microbatches / plan.pipeline - sends;
    out.communication_ms += sends;
  } else {
    out.ms = once * plan.microbatches;
  }
  if (plan.data > 1 && plan.training && !graph.divided) {
    const double exposed = ExposedGradients(graph, plan, sums, forecaster);
    out.ms += exposed;
    out.communication_ms += exposed;
  }
}

void SetWords(const ModelGraph& graph, const GraphPlan& plan, const Forecaster& forecaster,
              GraphForecast& out) {
  size_t computing = 0;
  for (const GraphNode& node : graph.nodes) {
    computing += !node.ops.empty() || node.unknown ? 1 : 0;
    if (node.unknown) out.unknown.push_back(node.name + " (" + node.kind + ")");
  }
  if (computing > 0) {
    out.unknown_share = static_cast<double>(out.unknown.size()) / static_cast<double>(computing);
  }
  if (!forecaster.rates(NumberType::kFp32).measured) {
    out.notes.push_back(
        "the sustained rates were not measured; they are estimated from GPUs of the same class");
  }
  if (out.extrapolated_ms > 0.01 * out.ms) {
    out.notes.push_back("kernels larger than all that were measured are extrapolated");
  }
  const double gpus = static_cast<double>(plan.data) * plan.tensor * plan.pipeline;
  const std::string beyond = BeyondNodeNote(forecaster.device(), gpus);
  const bool communicates =
      graph.divided || plan.tensor > 1 || plan.pipeline > 1 || (plan.data > 1 && plan.training);
  if (communicates && !beyond.empty()) out.notes.push_back(beyond);
}

}  // namespace

GraphPlan PlanOf(const CaseName& name, const ModelGraph& graph) {
  GraphPlan plan;
  plan.layers = graph.has_layer ? name.layers : 1;
  plan.training = name.training;
  plan.fused = name.fused;
  plan.data = name.data;
  plan.tensor = name.tensor;
  plan.pipeline = name.pipeline;
  plan.microbatches = name.microbatches;
  plan.batch = name.batch;
  return plan;
}

bool IsPlausible(const GraphForecast& forecast) {
  const double kernels = forecast.bound_ms[0] + forecast.bound_ms[1] + forecast.bound_ms[2];
  const double times[] = {forecast.ms,
                          forecast.low_ms,
                          forecast.high_ms,
                          forecast.forward_ms,
                          forecast.backward_ms,
                          forecast.accumulate_ms,
                          forecast.communication_ms,
                          forecast.memory_ms,
                          std::abs(forecast.bubble_ms),
                          kernels};
  // NaN fails both comparisons and is therefore not plausible.
  return std::all_of(std::begin(times), std::end(times),
                     [](double ms) { return ms >= 0 && ms <= kMaxMs; });
}

GraphForecast ForecastGraph(const ModelGraph& graph, const GraphPlan& plan,
                            const Forecaster& forecaster) {
  GraphForecast out;
  // A divided graph already holds the share of one GPU, or one microbatch. Do not divide it again.
  double batch_share = 1;
  const double parts = static_cast<double>(plan.data) * plan.microbatches;
  if (plan.batch > 0 && graph.batch > 0) batch_share = plan.batch / parts / graph.batch;
  const Divider divider(graph, graph.divided ? 1 : batch_share, graph.divided ? 1 : plan.tensor);
  Summer summer(plan, forecaster, out);
  const std::vector<GraphNode> fused = plan.fused ? FuseNodes(graph) : std::vector<GraphNode>();
  for (const GraphNode& node : plan.fused ? fused : graph.nodes) {
    for (const GraphOp& op : node.ops) summer.Add(node, op, divider.Part(op));
  }
  summer.Finish();
  SetTotals(graph, plan, summer.sums, forecaster, out);
  if (plan.training) {
    out.memory_ms = kMemoryMsPerGb * KeptGb(graph, plan, batch_share * plan.microbatches);
    out.forward_ms += out.memory_ms;
    out.ms += out.memory_ms;
  }
  SetWords(graph, plan, forecaster, out);
  const Interval interval = forecaster.table().IntervalOf(StepInterval(plan.training));
  const double widen = (forecaster.rates(NumberType::kFp32).measured ? 1 : 1.1) *
                       (1 + 0.5 * out.unknown_share) * (plan.fused ? 1.05 : 1) *
                       (out.extrapolated_ms > 0.01 * out.ms ? 1.1 : 1);
  out.low_ms = out.ms * std::min(1.0, interval.low / widen);
  out.high_ms = out.ms * std::max(1.0, interval.high * widen);
  return out;
}

}  // namespace gprofx::forecast
