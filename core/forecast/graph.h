// A model as a graph of operators, read from NeuSight's CSV as it is: one node a line with the
// operators of its forward pass, of its input gradients and of the accumulation of its weights'.
//
// A graph holds one layer of a transformer; the nodes from its first to its last repeat for each
// layer. Which nodes those are is told by the names (of BERT, GPT-2 and OPT as Hugging Face has
// them); a graph without such a block stands for itself. Pure; any thread.
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
  uint32_t consumers = 0;        // nodes that read its output, not those that ask for its shape
  double output_elements = 0, input_elements = 0;
  size_t input_rank = 0;   // dimensions of the first input
  double least_input = 0;  // elements of the smallest input that has more than one; 0 = not told
  bool in_layer = false;
  bool fused = false;    // ops run as one kernel
  bool unknown = false;  // it computes something that no family describes
};

struct ModelGraph {
  std::vector<GraphNode> nodes;
  double batch = 0, sequence = 0;  // of the first input; 0 = not told
  double hidden = 0;               // length of the rows that are normalised
  bool divided = false;            // collectives are in it: it is what one of several GPUs runs
  double weights = 0;              // elements of all weights, one layer
  double layer_weights = 0;        // those of the layer
  double layer_output = 0;         // elements that one layer hands to the next
  bool has_layer = false;
  bool training = false;  // there is a backward pass
};

// `file` is the name in messages. Errors name the line.
Result<ModelGraph> ParseGraph(std::string_view csv, const std::string& file);

// What the name of a case tells: MODEL-inf|train-SEQUENCE-BATCH[-fusion|-dpN|-tpN|-ppN_M].
struct CaseName {
  std::string model;
  bool training = false, fused = false;
  int data = 1, tensor = 1, pipeline = 1, microbatches = 1;
  double sequence = 0, batch = 0;
  int layers = 1;  // of the model, where it is known
  bool known_model = false;
};
Result<CaseName> ParseCaseName(std::string_view name);

}  // namespace gprofx::forecast
