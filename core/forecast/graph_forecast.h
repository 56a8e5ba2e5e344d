// Forecasts one step of a model from its graph: the sum of the times of its kernels, with the layer
// repeated. Kernels can be fused as torch.compile does. The work can be divided among several GPUs
// by data, by tensors or by pipeline stages.
//
// Graphs describe FP32 in eager mode, without loss and optimizer. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/forecast/graph.h"
#include "core/forecast/kernel.h"

namespace gprofx::forecast {

struct GraphPlan {
  int layers = 1;
  bool training = false, fused = false;
  int data = 1, tensor = 1, pipeline = 1, microbatches = 1;
  double batch = 0;  // batch of the whole job; 0 = the batch of the graph
};

struct FamilyShare {
  WorkFamily family = WorkFamily::kCopy;
  double ms = 0;
  uint64_t kernels = 0;
};

struct NodeShare {
  std::string name, kind;
  double ms = 0;
  KernelBound bound = KernelBound::kFloor;
};

struct GraphForecast {
  double ms = 0, low_ms = 0, high_ms = 0;
  double forward_ms = 0, backward_ms = 0, accumulate_ms = 0;
  double communication_ms = 0;     // not hidden behind computing
  double memory_ms = 0;            // allocation of memory for the backward pass
  double bubble_ms = 0;            // time in which pipeline stages are idle
  double bound_ms[3] = {0, 0, 0};  // by KernelBound
  double extrapolated_ms = 0;      // time of kernels that are larger than any measured one
  uint64_t kernels = 0;
  std::vector<FamilyShare> families;  // largest first
  std::vector<NodeShare> nodes;       // all passes and layers; largest first
  std::vector<std::string> unknown;   // nodes that belong to no known family
  double unknown_share = 0;           // fraction of unknown nodes among the nodes that compute
  std::vector<std::string> notes;     // sentences about extrapolation and estimates
};

// True if every time of the forecast is between 0 and kMaxMs (kernel.h). Other values, and NaN,
// result from sizes or numbers of GPUs that no machine has.
bool IsPlausible(const GraphForecast& forecast);

GraphForecast ForecastGraph(const ModelGraph& graph, const GraphPlan& plan,
                            const Forecaster& forecaster);

// Returns the plan that a case name describes for this graph.
GraphPlan PlanOf(const CaseName& name, const ModelGraph& graph);

}  // namespace gprofx::forecast
