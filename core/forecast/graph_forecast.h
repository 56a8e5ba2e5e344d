// The forecast of one step of a model from its graph: the sum of its kernels, layers repeated;
// fused as torch.compile does; over several GPUs by data, tensors or pipeline stages.
//
// The label of a graph is FP32 in eager mode, without loss and optimizer. Pure; any thread.
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
  double batch = 0;  // of the whole job; 0 = the graph's own
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
  double communication_ms = 0;     // that nothing hides
  double memory_ms = 0;            // taking memory for what the backward pass needs
  double bubble_ms = 0;            // a pipeline's idle time
  double bound_ms[3] = {0, 0, 0};  // by KernelBound
  double extrapolated_ms = 0;      // of kernels larger than all that were measured
  uint64_t kernels = 0;
  std::vector<FamilyShare> families;  // largest first
  std::vector<NodeShare> nodes;       // largest first, all passes, layers counted
  std::vector<std::string> unknown;   // nodes that no family describes
  double unknown_share = 0;           // of the nodes that compute something
  std::vector<std::string> notes;     // in words: extrapolation, estimates
};

// That every time of it is a number of at most kMaxMs; sizes and numbers of GPUs that no machine
// has give others.
bool IsPlausible(const GraphForecast& forecast);

GraphForecast ForecastGraph(const ModelGraph& graph, const GraphPlan& plan,
                            const Forecaster& forecaster);

// What a name of a case asks for, on this graph.
GraphPlan PlanOf(const CaseName& name, const ModelGraph& graph);

}  // namespace gprofx::forecast
