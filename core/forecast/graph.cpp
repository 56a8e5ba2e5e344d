#include "core/forecast/graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/base/text.h"
#include "core/forecast/device/csv.h"
#include "core/forecast/device/literal.h"

namespace gprofx::forecast {
namespace {

constexpr double kMaxSize = 1e15;        // maximum of a size in a graph
constexpr size_t kMaxItems = 1'000'000;  // maximum number of nodes, operators and inputs together

double BoundedSize(double size) { return size > 0 ? std::min(size, kMaxSize) : 0; }

// First and last node of a layer, by their names in Hugging Face's models.
struct LayerBlock {
  std::string_view first, last;
};
constexpr LayerBlock kBlocks[] = {
    {"bert_encoder_layer_0_attention_self_query", "bert_encoder_layer_0_output_layer_norm"},
    {"transformer_h_0_ln_1", "add_15"},
    {"model_decoder_layers_0_self_attn_layer_norm", "view_11"},
};

// True for nodes that launch no kernel. They only describe data for other nodes.
bool LaunchesNothing(std::string_view kind) {
  return kind == "misc" || kind == "getitem" || kind == "output" || kind == "Weight" ||
         kind == "placeholder";
}

// Returns the function of a node: "max" for a node called max_1.
std::string_view FunctionOf(const GraphNode& node) {
  const std::string_view name = node.name;
  const size_t number = name.rfind('_');
  const bool numbered = number != std::string_view::npos &&
                        name.find_first_not_of("0123456789", number + 1) == std::string_view::npos;
  return numbered ? name.substr(0, number) : name;
}

// True if the node reads only the shape or the type of a tensor.
bool AsksForFacts(const GraphNode& node) {
  constexpr std::string_view kFunctions[] = {"size", "getattr", "dim", "finfo"};
  return node.kind == "misc" && IsOneOf(FunctionOf(node), kFunctions);
}

// True for nodes that the graph calls "misc" but that run an elementwise kernel, as the name of
// their function shows.
bool IsHiddenElementwise(const GraphNode& node) {
  constexpr std::string_view kFunctions[] = {
      "max", "min", "maximum", "minimum", "masked_fill", "clamp", "sub",
      "neg", "abs", "exp",     "log",     "sqrt",        "eq",    "ne",
      "lt",  "le",  "gt",      "ge",      "cat",         "clone", "argmax"};
  return node.kind == "misc" && IsOneOf(FunctionOf(node), kFunctions);
}

// Adds the gradient of a maximum or minimum of two tensors, which compares the tensors again.
// Alone, it was measured to move 40 bytes per element; in whole steps on two GPUs, about half of
// that.
void AddGradientsOfChoices(ModelGraph& graph) {
  constexpr std::string_view kFunctions[] = {"max", "min", "maximum", "minimum"};
  if (!graph.training) return;
  for (GraphNode& node : graph.nodes) {
    if (node.kind != "misc" || node.ops.empty() || !IsOneOf(FunctionOf(node), kFunctions)) continue;
    node.ops.push_back({GraphPass::kBackward, CopyWork(5 * node.input_elements), "max", ""});
  }
}

// Adds the copies that torch.matmul makes of permuted operands with four dimensions. If an operand
// was also transposed, the copy reads it against its order in memory, which takes longer.
void AddCopiesOfOperands(ModelGraph& graph) {
  constexpr double kCopy = 2, kTransposing = 5;  // elements moved per element of the operand
  for (GraphNode& node : graph.nodes) {
    if (node.kind != "BMM" || node.input_rank != 4) continue;
    for (const uint32_t input : node.inputs) {
      const GraphNode& operand = graph.nodes[input];
      const std::string_view function = FunctionOf(operand);
      if (operand.kind != "misc" || (function != "permute" && function != "transpose")) continue;
      const double moved = function == "transpose" ? kTransposing : kCopy;
      node.ops.push_back(
          {GraphPass::kForward, CopyWork(moved * operand.output_elements), "copy", ""});
    }
  }
}

// Adds the traffic of dropout's mask. It has one byte per element, which the forward pass writes
// and the backward pass reads.
void AddDropoutMask(GraphNode& node) {
  constexpr double kWithMask = 9.0 / 8;
  if (node.kind != "dropout") return;
  for (GraphOp& op : node.ops) op.work.k = std::round(op.work.k * kWithMask);
}

// Removes the dropout in attention layers of OPT: its probability is 0 in all configurations
// (attention_dropout), and such a dropout does not run.
void RemoveDropoutOfNothing(ModelGraph& graph) {
  for (GraphNode& node : graph.nodes) {
    if (node.kind != "dropout") continue;
    const bool after_softmax =
        std::any_of(node.inputs.begin(), node.inputs.end(),
                    [&](uint32_t input) { return graph.nodes[input].kind == "VECsoftmax"; });
    if (after_softmax) node.ops.clear();
  }
}

// Removes the backward copies of sums. The gradient of a sum is passed on unchanged, which runs
// nothing.
void DropFreeGradients(GraphNode& node) {
  if (!node.kind.starts_with("VECadd")) return;
  std::erase_if(node.ops, [](const GraphOp& op) {
    return op.pass == GraphPass::kBackward && op.work.family == WorkFamily::kCopy;
  });
}

std::optional<GraphOp> MakeOp(const Literal& entry, GraphPass pass) {
  if (entry.items.size() != 2 || entry.items[0].kind != Literal::Kind::kText) return std::nullopt;
  const std::string& kind = entry.items[0].text;
  const Literal& args = entry.items[1];
  GraphOp op;
  op.pass = pass;
  if (kind == "MEM") {
    double elements = 0;
    for (const Literal& shape : args.items) {
      if (!shape.IsNumbers()) return std::nullopt;
      elements += shape.Product();
    }
    op.work = CopyWork(BoundedSize(elements));
    op.name = "copy";
    return op;
  }
  if (kind == "ALLREDUCE" || kind == "SENDRECV") {
    const double elements = args.kind == Literal::Kind::kNumber ? args.number : args.Product();
    op.work = CopyWork(BoundedSize(elements));
    op.name = op.collective = kind == "ALLREDUCE" ? "all_reduce" : "send";
    return op;
  }
  if (!args.IsNumbers()) return std::nullopt;
  const auto size = [&](size_t i) { return std::clamp(args.items[i].number, 1.0, kMaxSize); };
  if (kind == "Linear" && args.items.size() == 3) {
    op.work = ProductWork(WorkFamily::kLinear, NumberType::kFp32, 1, size(0), size(1), size(2));
    op.name = "linear";
  } else if (kind == "BMM" && args.items.size() == 4) {
    op.work = ProductWork(WorkFamily::kBatchedProduct, NumberType::kFp32, size(0), size(1), size(2),
                          size(3));
    op.name = "bmm";
  } else if (kind.starts_with("VEC") && args.items.size() == 2) {
    op.name = kind.substr(3);
    if (op.name == "softmax") {
      op.work = RowWork(WorkFamily::kSoftmax, size(0), size(1));
    } else if (op.name == "ln") {
      op.work = RowWork(WorkFamily::kNorm, size(0), size(1));
    } else {
      op.work = ElementwiseWork(op.name, size(0), size(1));
    }
  } else {
    return std::nullopt;
  }
  return op;
}

// Sets the number of elements of all inputs (`input_elements`), and of the smallest input that is
// not a scalar (`least_input`). Both stay 0 if `shapes` is not a list of shapes.
void SetInputs(const std::string& shapes, LiteralBudget& budget, GraphNode& node) {
  const std::optional<Literal> list = ParseLiteral(shapes.empty() ? "[]" : shapes, budget);
  if (!list) return;
  double all = 0, least = 0;
  for (const Literal& shape : list->items) {
    if (!shape.IsNumbers()) return;
    const double elements = shape.Product();
    all += elements;
    if (elements > 1 && (least == 0 || elements < least)) least = elements;
  }
  node.input_rank = list->items.empty() ? 0 : list->items[0].items.size();
  node.input_elements = BoundedSize(all);
  node.least_input = BoundedSize(least);
}

// Returns how much an elementwise operator reads, relative to the size of its output. A broadcast
// input counts with its own, smaller size.
double InputsOf(const GraphNode& node) {
  if (node.output_elements <= 0) return 0;
  return std::clamp(node.input_elements / node.output_elements, 0.0, 2.0);
}

// Parses a list of operators and adds them to `node`. Returns false if the text is not such a list.
// An operator of unknown kind sets GraphNode::unknown.
bool AddOps(const std::string& text, GraphPass pass, GraphNode& node, LiteralBudget& budget) {
  const std::optional<Literal> list = ParseLiteral(text.empty() ? "[]" : text, budget);
  if (!list || !list->IsList()) return false;
  const double inputs = InputsOf(node);
  for (const Literal& entry : list->items) {
    if (!entry.IsList()) return false;
    if (std::optional<GraphOp> op = MakeOp(entry, pass)) {
      const bool binary = op->work.family == WorkFamily::kElementwise && op->work.inputs > 1;
      if (binary && inputs > 0 && pass != GraphPass::kAccumulate) {
        op->work.inputs = inputs;
        if (node.least_input < node.output_elements) op->work.broadcast = node.least_input;
      }
      node.ops.push_back(std::move(*op));
    } else {
      node.unknown = true;
    }
  }
  return true;
}

void FindLayer(ModelGraph& graph) {
  for (const LayerBlock& block : kBlocks) {
    const auto named = [&graph](std::string_view name) {
      return std::find_if(graph.nodes.begin(), graph.nodes.end(),
                          [name](const GraphNode& node) { return node.name == name; });
    };
    const auto first = named(block.first), last = named(block.last);
    if (first == graph.nodes.end() || last == graph.nodes.end() || last < first) continue;
    // If the graph has a second layer, it holds all layers, and no layer is repeated.
    std::string second(block.first);
    const size_t zero = second.find("_0_");
    second[zero + 1] = '1';
    if (named(second) != graph.nodes.end()) return;
    for (auto node = first; node <= last; ++node) node->in_layer = true;
    graph.has_layer = true;
    graph.layer_output = last->output_elements;
    return;
  }
}

void SetWeights(ModelGraph& graph) {
  for (const GraphNode& node : graph.nodes) {
    double weights = 0;
    for (const GraphOp& op : node.ops) {
      if (op.pass != GraphPass::kForward) continue;
      if (op.work.family == WorkFamily::kLinear) weights += (op.work.n + 1) * op.work.k;
      if (op.work.family == WorkFamily::kNorm) weights += 2 * op.work.k;
    }
    graph.weights += weights;
    if (node.in_layer) graph.layer_weights += weights;
  }
}

}  // namespace

Result<ModelGraph> ParseGraph(std::string_view csv, const std::string& file) {
  CsvReader reader(csv, file);
  auto first = reader.Next();
  if (!first) return first.error();
  const CsvHeader header(*first ? **first : std::vector<std::string>());
  if (!header.HasAll({"Name", "OpName", "FwOps"})) {
    return Error{ErrorId::kOtherFormat, file + ":1: the header of a graph is missing",
                 "the first line names the columns Name, OpName, FwOps, BwOps, AccOps, Prev, ..."};
  }
  const size_t name = *header.Find("Name"), kind = *header.Find("OpName");
  struct PassColumn {
    std::string_view column;
    GraphPass pass;
  };
  constexpr PassColumn kPasses[] = {{"FwOps", GraphPass::kForward},
                                    {"BwOps", GraphPass::kBackward},
                                    {"AccOps", GraphPass::kAccumulate}};
  ModelGraph graph;
  std::unordered_map<std::string, uint32_t> index;
  std::vector<std::vector<std::string>> previous;
  size_t items = 0;
  for (;;) {
    auto row = reader.Next();
    if (!row) return row.error();
    if (!*row) break;
    const std::vector<std::string>& fields = **row;
    if (fields.size() != header.size()) {
      return reader.At("the line has " + std::to_string(fields.size()) + " columns instead of " +
                       std::to_string(header.size()));
    }
    GraphNode node;
    LiteralBudget budget;
    node.name = fields[name];
    node.kind = fields[kind];
    if (const auto column = header.Find("OutputShape")) {
      const std::optional<Literal> shape = ParseLiteral(fields[*column], budget);
      if (shape && shape->IsNumbers()) {
        node.output_elements = shape->items.empty() ? 0 : BoundedSize(shape->Product());
        if (graph.batch == 0 && shape->items.size() == 2) {
          graph.batch = std::clamp(shape->items[0].number, 1.0, kMaxSize);
          graph.sequence = std::clamp(shape->items[1].number, 1.0, kMaxSize);
        }
      }
    }
    if (const auto column = header.Find("InputShapes")) {
      SetInputs(fields[*column], budget, node);
    }
    for (const PassColumn& pass : kPasses) {
      const auto column = header.Find(pass.column);
      if (column && !AddOps(fields[*column], pass.pass, node, budget)) {
        if (budget.spent) break;
        return reader.At("column " + std::string(pass.column) + " is not a list of operators");
      }
    }
    std::vector<std::string> inputs;
    if (const auto column = header.Find("Prev")) {
      if (const std::optional<Literal> names = ParseLiteral(fields[*column], budget)) {
        for (const Literal& item : names->items) inputs.push_back(item.text);
      }
    }
    if (budget.spent) {
      return reader.At(
          "the line lists more than " + std::to_string(LiteralBudget().left) + " items",
          "check the file: no node of a model has so many");
    }
    if ((items += node.ops.size() + inputs.size() + 1) > kMaxItems) {
      return reader.At("the nodes up to here have more than " + std::to_string(kMaxItems) +
                           " operators and inputs",
                       "check the file: no model has so many");
    }
    node.fused = node.kind == "fused" || node.name.find('~') != std::string::npos;
    DropFreeGradients(node);
    AddDropoutMask(node);
    if (node.ops.empty() && IsHiddenElementwise(node) && node.input_elements > 0) {
      node.ops.push_back(
          {GraphPass::kForward, ElementwiseWork("max", 1, node.input_elements), "max", ""});
    }
    if (LaunchesNothing(node.kind)) {
      if (node.kind == "getitem")
        std::erase_if(node.ops, [](const GraphOp& op) { return op.pass == GraphPass::kForward; });
    } else if (node.ops.empty() && !node.fused && !node.unknown) {
      node.unknown = true;
    }
    for (const GraphOp& op : node.ops) {
      graph.training |= op.pass != GraphPass::kForward;
      graph.divided |= !op.collective.empty();
      if (op.work.family == WorkFamily::kNorm) graph.hidden = op.work.k;
    }
    index.emplace(node.name, static_cast<uint32_t>(graph.nodes.size()));
    graph.nodes.push_back(std::move(node));
    previous.push_back(std::move(inputs));
  }
  if (graph.nodes.empty()) {
    return Error{ErrorId::kEmptyFile, "'" + file + "' has no nodes", "write one node per line"};
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::string& input : previous[i]) {
      const auto found = index.find(input);
      if (found == index.end()) continue;
      graph.nodes[i].inputs.push_back(found->second);
      if (!AsksForFacts(graph.nodes[i])) ++graph.nodes[found->second].consumers;
    }
  }
  AddGradientsOfChoices(graph);
  AddCopiesOfOperands(graph);
  if (index.contains("model_decoder_layers_0_self_attn_layer_norm")) RemoveDropoutOfNothing(graph);
  FindLayer(graph);
  SetWeights(graph);
  return graph;
}

}  // namespace gprofx::forecast
