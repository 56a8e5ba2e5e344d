// Represents a model as a graph of operators and reads it from NeuSight's CSV files. A line of the
// file is a node, with three lists of operators: its forward pass, the gradients of its inputs, and
// the accumulation of its weight gradients.
//
// A graph of a transformer holds only one of the model's layers. Forecasts repeat the nodes of this
// layer for each layer of the model. The first and the last node of the layer are found by their
// names (BERT, GPT-2 and OPT, as named by Hugging Face). A graph without such a layer is used as it
// is. Pure; any thread.
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
  uint32_t consumers = 0;        // number of nodes that read its output, not only its shape
  double output_elements = 0, input_elements = 0;
  size_t input_rank = 0;   // number of dimensions of the first input
  double least_input = 0;  // elements of the smallest non-scalar input; 0 = unknown
  bool in_layer = false;
  bool fused = false;    // its operators run as one kernel
  bool unknown = false;  // computes something that belongs to no known family
};

struct ModelGraph {
  std::vector<GraphNode> nodes;
  double batch = 0, sequence = 0;  // of the graph's first input; 0 = unknown
  double hidden = 0;               // length of the rows that are normalised
  bool divided = false;            // has collectives: the graph is the share of one GPU
  double weights = 0;              // number of elements of all weights, with one layer
  double layer_weights = 0;        // number of elements of the layer's weights
  double layer_output = 0;         // number of elements that a layer passes to the next
  bool has_layer = false;
  bool training = false;  // true if it has a backward pass
};

// Parses a graph. `file` is the file's name in messages. Errors name the line.
Result<ModelGraph> ParseGraph(std::string_view csv, const std::string& file);

// Parts of a case name: MODEL-inf|train-SEQUENCE-BATCH[-fusion|-dpN|-tpN|-ppN_M].
struct CaseName {
  std::string model;
  bool training = false, fused = false;
  int data = 1, tensor = 1, pipeline = 1, microbatches = 1;
  double sequence = 0, batch = 0;
  int layers = 1;  // number of layers of the model; 1 if unknown
  bool known_model = false;
};
Result<CaseName> ParseCaseName(std::string_view name);

}  // namespace gprofx::forecast
