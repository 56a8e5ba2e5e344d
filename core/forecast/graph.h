// A model as a graph of operators, read from NeuSight's CSV files: one node per line, with the
// operators of its forward pass, of its input gradients and of the accumulation of its weight
// gradients.
//
// A graph holds only one layer of a transformer. Forecasts repeat the nodes from the first to the
// last of the layer for each layer of the model. The first and last node are found by name (BERT,
// GPT-2 and OPT, as named by Hugging Face). A graph without such a layer is used as it is. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/forecast/work.h"

namespace gprofx::forecast {

enum class GraphPass : uint8_t { kForward, kBackward, kAccumulate };
inline constexpr size_t kGraphPasses = 3;

struct GraphOp {
  GraphPass pass = GraphPass::kForward;
  KernelWork work;
  std::string name;        // "add", "linear"
  std::string collective;  // "all_reduce" or "send" of work.Bytes(); "" = a kernel
};

struct GraphNode {
  std::string name, kind;
  std::vector<GraphOp> ops;
  std::vector<uint32_t> inputs;  // indices of nodes
  uint32_t consumers = 0;        // nodes that read its output (not only its shape)
  double output_elements = 0, input_elements = 0;
  size_t input_rank = 0;   // dimensions of the first input
  double least_input = 0;  // elements of the smallest non-scalar input; 0 = unknown
  bool in_layer = false;
  bool fused = false;    // ops run as one kernel
  bool unknown = false;  // computes something of no known family
};

struct ModelGraph {
  std::vector<GraphNode> nodes;
  double batch = 0, sequence = 0;  // of the first input; 0 = unknown
  double hidden = 0;               // length of normalised rows
  bool divided = false;            // has collectives: the graph is the share of one of several GPUs
  double weights = 0;              // elements of all weights, with one layer
  double layer_weights = 0;        // elements of the layer's weights
  double layer_output = 0;         // elements passed from layer to layer
  bool has_layer = false;
  bool training = false;  // has a backward pass
};

// `file` is the name used in messages. Errors name the line.
Result<ModelGraph> ParseGraph(std::string_view csv, const std::string& file);

// Parts of a case name: MODEL-inf|train-SEQUENCE-BATCH[-fusion|-dpN|-tpN|-ppN_M].
struct CaseName {
  std::string model;
  bool training = false, fused = false;
  int data = 1, tensor = 1, pipeline = 1, microbatches = 1;
  double sequence = 0, batch = 0;
  int layers = 1;  // of the model, if known
  bool known_model = false;
};
Result<CaseName> ParseCaseName(std::string_view name);

}  // namespace gprofx::forecast
