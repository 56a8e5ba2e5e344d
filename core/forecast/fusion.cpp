#include "core/forecast/fusion.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace gprofx::forecast {
namespace {

bool IsRowWise(const GraphNode& node) {
  return !node.ops.empty() && std::all_of(node.ops.begin(), node.ops.end(), [](const GraphOp& op) {
    return !op.work.IsProduct() && op.collective.empty();
  });
}

// Merges the forward operators of a row-wise node into one kernel. Its kind is that of the operator
// with the most demanding access to rows (a normalisation or softmax, if there is one). Its memory
// traffic is that of the node's inputs and output.
void MergeForward(GraphNode& node) {
  const auto forward = [](const GraphOp& op) { return op.pass == GraphPass::kForward; };
  if (std::count_if(node.ops.begin(), node.ops.end(), forward) < 2 || !IsRowWise(node)) return;
  const auto rank = [](const GraphOp& op) {
    const WorkFamily family = op.work.family;
    return family == WorkFamily::kNorm          ? 3
           : family == WorkFamily::kSoftmax     ? 2
           : family == WorkFamily::kElementwise ? 1
                                                : 0;
  };
  GraphOp merged;
  double elements = 0;
  bool any = false;
  for (const GraphOp& op : node.ops) {
    if (!forward(op)) continue;
    elements = std::max(elements, op.work.m * op.work.k);
    if (!any || rank(op) > rank(merged)) merged = op;
    any = true;
  }
  if (merged.work.family == WorkFamily::kCopy) {
    merged.work.k = node.input_elements + node.output_elements;
  } else if (node.output_elements > 0 && elements > 0) {
    merged.work.inputs = std::max(0.5, (node.input_elements + node.output_elements) / elements - 1);
  }
  std::erase_if(node.ops, forward);
  node.ops.insert(node.ops.begin(), std::move(merged));
}

// Removes the copies of operands of a batched product: the producer of an operand writes it in the
// order in which the product reads it.
void RemoveCopiesOfOperands(GraphNode& node) {
  if (node.kind != "BMM") return;
  std::erase_if(node.ops, [](const GraphOp& op) {
    return op.pass == GraphPass::kForward && op.work.family == WorkFamily::kCopy;
  });
}

}  // namespace

std::vector<GraphNode> FuseNodes(const ModelGraph& graph) {
  std::vector<GraphNode> nodes = graph.nodes;
  for (GraphNode& node : nodes) RemoveCopiesOfOperands(node);
  std::vector<char> row_wise;
  for (const GraphNode& node : nodes) row_wise.push_back(IsRowWise(node) ? 1 : 0);
  // Index of the node into which each node is merged; its own index if it is not. Operators are
  // moved only at the end, so each is moved once even if its chain is long.
  std::vector<size_t> joins(nodes.size());
  std::iota(joins.begin(), joins.end(), size_t{0});
  const auto is_view = [&](size_t at) { return nodes[at].ops.empty() || joins[at] != at; };
  // The loop goes from the last node to the first. When a node is merged into its predecessor, it
  // therefore already holds the rest of its chain.
  for (size_t i = nodes.size(); i-- > 0;) {
    const GraphNode& node = nodes[i];
    if (row_wise[i] == 0) continue;
    size_t into = i, computing = 0;
    for (const uint32_t input : node.inputs) {
      // Views between two nodes cost nothing and do not separate them. Indices must decrease, so
      // the loop ends even if the graph has cycles.
      size_t at = input;
      while (is_view(at) && nodes[at].inputs.size() == 1 && nodes[at].consumers == 1 &&
             nodes[at].inputs[0] < at) {
        at = nodes[at].inputs[0];
      }
      if (row_wise[at] == 0 || nodes[at].consumers != 1 || at >= i) continue;
      ++computing;
      into = at;
    }
    if (computing != 1 || nodes[into].in_layer != node.in_layer) continue;
    GraphNode& first = nodes[into];
    first.input_elements += std::max(0.0, node.input_elements - first.output_elements);
    first.output_elements = node.output_elements;
    joins[i] = into;
    row_wise[i] = 0;
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (joins[i] == i) continue;
    // The node into which this one is merged is earlier, so the final target of that node is
    // already known.
    joins[i] = joins[joins[i]];
    std::vector<GraphOp>& ops = nodes[joins[i]].ops;
    std::move(nodes[i].ops.begin(), nodes[i].ops.end(), std::back_inserter(ops));
    nodes[i].ops.clear();
  }
  for (GraphNode& node : nodes) MergeForward(node);
  return nodes;
}

}  // namespace gprofx::forecast
