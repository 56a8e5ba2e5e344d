// Graphs of models: what is read of them, and what several GPUs and fusion make of them.
#include "core/forecast/graph.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/forecast/fusion.h"
#include "core/forecast/graph_forecast.h"

namespace gprofx::testing {
using namespace gprofx::forecast;
namespace {

constexpr char kHeader[] = "Name,OpName,FwOps,BwOps,AccOps,Prev,Next,InputShapes,OutputShape\n";

// A layer of OPT as its graph has it, of 2 x 512 tokens, with a head.
std::string LayerGraph() {
  return std::string(kHeader) +
         "input_ids,misc,[],[],[],set(),{'ln'},[],\"(2, 512)\"\n"
         "model_decoder_layers_0_self_attn_layer_norm,VECln,\"[['VECln', (1024, 2048)]]\","
         "\"[['VECmul', (1024, 2048)]]\",\"[['VECadd', [1, 2048]]]\",{'input_ids'},{'q'},"
         "\"[(2, 512, 2048)]\",\"(2, 512, 2048)\"\n"
         "fc1,Linear,\"[['Linear', (1024, 2048, 8192)]]\","
         "\"[['Linear', (1024, 8192, 2048)], ['Linear', (8192, 1024, 2048)]]\","
         "\"[['VECadd', [1, 16777216]]]\","
         "{'model_decoder_layers_0_self_attn_layer_norm'},{'relu'},\"[(1024, 2048)]\","
         "\"(1024, 8192)\"\n"
         "relu,VECrelu,\"[['VECrelu', (1024, 8192)]]\",\"[['VECrelu', (1024, 8192)]]\",[],"
         "{'fc1'},{'mul'},\"[(1024, 8192)]\",\"(1024, 8192)\"\n"
         "mul,VECmulu,\"[['VECmulu', (1024, 8192)]]\",\"[['VECmulu', (1024, 8192)]]\",[],"
         "{'relu'},{'fc2'},\"[(1024, 8192)]\",\"(1024, 8192)\"\n"
         "fc2,Linear,\"[['Linear', (1024, 8192, 2048)]]\","
         "\"[['Linear', (1024, 2048, 8192)], ['Linear', (2048, 1024, 8192)]]\","
         "\"[['VECadd', [1, 16777216]]]\",{'mul'},{'view_11'},\"[(1024, 8192)]\","
         "\"(1024, 2048)\"\n"
         "view_11,misc,[],[],[],{'fc2'},{'lm_head'},\"[(1024, 2048)]\",\"(2, 512, 2048)\"\n"
         "lm_head,Linear,\"[['Linear', (1024, 2048, 50272)]]\","
         "\"[['Linear', (1024, 50272, 2048)], ['Linear', (50272, 1024, 2048)]]\","
         "\"[['VECadd', [1, 102957056]]]\",{'view_11'},set(),\"[(2, 512, 2048)]\","
         "\"(2, 512, 50272)\"\n";
}

ModelGraph Graph(const std::string& text) {
  Result<ModelGraph> graph = ParseGraph(text, "g.csv");
  if (!graph) FAIL(graph.error().Text());
  return std::move(*graph);
}

Forecaster On(const char* device) {
  return Forecaster(BuiltInTable(), **FindDevice(BuiltInDevices(), device));
}

GraphPlan Plan(const char* name, const ModelGraph& graph) {
  const Result<CaseName> parsed = ParseCaseName(name);
  REQUIRE(parsed);
  return PlanOf(*parsed, graph);
}

double Step(const ModelGraph& graph, const char* name, const char* device = "A100-PCIe-80GB") {
  return ForecastGraph(graph, Plan(name, graph), On(device)).ms;
}

}  // namespace

TEST_CASE("a graph has its layer, its batch and its weights") {
  const ModelGraph graph = Graph(LayerGraph());
  REQUIRE(graph.nodes.size() == 8);
  CHECK(graph.has_layer);
  CHECK(graph.training);
  CHECK(graph.batch == 2);
  CHECK(graph.sequence == 512);
  CHECK(graph.hidden == 2048);
  CHECK_FALSE(graph.nodes[0].in_layer);
  CHECK(graph.nodes[1].in_layer);
  CHECK(graph.nodes[6].in_layer);
  CHECK_FALSE(graph.nodes[7].in_layer);
  CHECK(graph.layer_weights == 2 * 2048 + 2049.0 * 8192 + 8193.0 * 2048);
}

TEST_CASE("names of cases") {
  const CaseName name = *ParseCaseName("gpt2_large-train-1024-8-pp4_2");
  CHECK(name.training);
  CHECK(name.layers == 36);
  CHECK(name.pipeline == 4);
  CHECK(name.microbatches == 2);
  CHECK(name.batch == 8);
  CHECK(ParseCaseName("bert_large-inf-512-8-fusion")->fused);
  CHECK(ParseCaseName("opt_13-train-2048-8-dp16")->data == 16);
  CHECK(ParseCaseName("opt_13-train-2048-8-tp2-dp4")->tensor == 2);
  CHECK(ParseCaseName("opt_13-train-2048-8-pp100000_100000")->microbatches == 100'000);
  CHECK_FALSE(ParseCaseName("my_model-inf-512-8")->known_model);
  for (const char* text : {"", "gpt2", "gpt2-run-512-8", "gpt2-inf-x-8", "gpt2-inf-512-0",
                           "gpt2-inf-512-8-xx4", "gpt2-inf-512-8-dp", "gpt2-inf-512-8-dp4_2",
                           "gpt2-inf-512-8-dp100001", "gpt2-inf-512-8-pp2_2147483647",
                           "gpt2-inf-512-8-tp2147483647", "gpt2-inf-512-2147483647"}) {
    INFO(text);
    CHECK_FALSE(ParseCaseName(text));
  }
}

TEST_CASE("layers add up, training takes longer than inference") {
  const ModelGraph graph = Graph(LayerGraph());
  GraphPlan plan;
  const Forecaster forecaster = On("A100-PCIe-80GB");
  const auto with_layers = [&](int layers) {
    plan.layers = layers;
    return ForecastGraph(graph, plan, forecaster).ms;
  };
  const double one = with_layers(1), two = with_layers(2), nine = with_layers(9);
  CHECK(nine - one == Approx(8 * (two - one)));
  CHECK(Step(graph, "opt_13-train-512-2") > 2 * Step(graph, "opt_13-inf-512-2"));
  const GraphForecast forecast =
      ForecastGraph(graph, Plan("opt_13-train-512-2", graph), forecaster);
  CHECK(forecast.low_ms < forecast.ms);
  CHECK(forecast.high_ms > forecast.ms);
  CHECK(forecast.unknown.empty());
  double families = 0, nodes = 0;
  for (const FamilyShare& family : forecast.families) families += family.ms;
  for (const NodeShare& node : forecast.nodes) nodes += node.ms;
  CHECK(families == Approx(nodes));
}

TEST_CASE("data parallel: a part of the batch, and gradients that the backward pass hides or not") {
  const ModelGraph graph = Graph(LayerGraph());
  const double one = Step(graph, "opt_13-train-512-2"), two = Step(graph, "opt_13-train-512-2-dp2");
  CHECK(two < one);
  const double slow = Step(graph, "opt_13-train-512-2-dp2", "V100-PCIe");
  const GraphForecast hidden =
      ForecastGraph(graph, Plan("opt_13-train-512-2-dp2", graph), On("H100-SXM"));
  const GraphForecast exposed =
      ForecastGraph(graph, Plan("opt_13-train-512-2-dp2", graph), On("V100-PCIe"));
  CHECK(exposed.communication_ms > hidden.communication_ms);
  CHECK(slow > two);
  // Inference has no gradients.
  CHECK(
      ForecastGraph(graph, Plan("opt_13-inf-512-2-dp2", graph), On("V100-PCIe")).communication_ms ==
      0);
}

TEST_CASE("tensor parallel: products get shorter, sums of activations are added") {
  const ModelGraph graph = Graph(LayerGraph());
  const Forecaster forecaster = On("H100-SXM");
  const GraphForecast one = ForecastGraph(graph, Plan("opt_13-train-512-2", graph), forecaster);
  const GraphForecast four =
      ForecastGraph(graph, Plan("opt_13-train-512-2-tp4", graph), forecaster);
  CHECK(one.communication_ms == 0);
  CHECK(four.communication_ms > 0);
  CHECK(four.ms - four.communication_ms < 0.5 * one.ms);
}

TEST_CASE("pipelines: more microbatches leave less of it idle, for any number of both") {
  const ModelGraph graph = Graph(LayerGraph());
  const Forecaster forecaster = On("H100-SXM");
  for (const int stages : {2, 3, 4, 8}) {
    double share = 1;
    for (const int batches : {1, 2, 7, 32}) {
      GraphPlan plan = Plan("opt_13-train-512-64", graph);
      plan.pipeline = stages;
      plan.microbatches = batches;
      const GraphForecast forecast = ForecastGraph(graph, plan, forecaster);
      CHECK(forecast.ms > 0);
      CHECK(forecast.bubble_ms / forecast.ms < share);
      share = forecast.bubble_ms / forecast.ms;
      if (batches > 1) continue;
      // One batch after the other through all stages: nothing is gained.
      plan.pipeline = 1;
      CHECK(forecast.ms - forecast.communication_ms - forecast.memory_ms ==
            Approx(ForecastGraph(graph, plan, forecaster).ms -
                   ForecastGraph(graph, plan, forecaster).memory_ms));
    }
  }
}

TEST_CASE("the largest numbers of stages, microbatches and copies do not overflow") {
  const ModelGraph graph = Graph(LayerGraph());
  GraphPlan plan = Plan("opt_13-inf-512-1000000000-dp100000-pp100000_100000", graph);
  const Forecaster forecaster = On("H100-SXM");
  const double ms = ForecastGraph(graph, plan, forecaster).ms;
  plan.microbatches = plan.pipeline = 2'000'000'000;  // beyond what a name may say
  CHECK(ms > 0);
  CHECK(ForecastGraph(graph, plan, forecaster).communication_ms > 0);
}

TEST_CASE("fusion merges chains and leaves products alone") {
  const ModelGraph graph = Graph(LayerGraph());
  const std::vector<GraphNode> nodes = FuseNodes(graph);
  const auto forward = [](const GraphNode& node) {
    return std::count_if(node.ops.begin(), node.ops.end(),
                         [](const GraphOp& op) { return op.pass == GraphPass::kForward; });
  };
  CHECK(forward(nodes[3]) == 1);  // relu took mul
  CHECK(forward(nodes[4]) == 0);
  CHECK(forward(nodes[5]) == 1);
  CHECK(Step(graph, "opt_13-inf-512-2-fusion") < Step(graph, "opt_13-inf-512-2"));
}

TEST_CASE("a long chain becomes one kernel, and holds each of its operators once") {
  constexpr size_t kLong = 2000;
  std::string text = kHeader;
  for (size_t i = 0; i < kLong; ++i) {
    text += "n" + std::to_string(i) +
            ",VECadd,\"[['VECadd', (8, 8)]]\",\"[['VECmul', (8, 8)]]\",[]," +
            (i > 0 ? "{'n" + std::to_string(i - 1) + "'}" : "set()") +
            ",set(),\"[(8, 8)]\",\"(8, 8)\"\n";
  }
  const std::vector<GraphNode> nodes = FuseNodes(Graph(text));
  size_t room = 0;
  for (const GraphNode& node : nodes) room += node.ops.capacity();
  CHECK(nodes[0].ops.size() == 1 + kLong);  // one forward, and all gradients
  CHECK(nodes[0].ops[0].pass == GraphPass::kForward);
  CHECK(nodes[1].ops.empty());
  CHECK(nodes[kLong - 1].ops.empty());
  CHECK(room < 8 * kLong);
}

TEST_CASE("nodes of no known kind are named with their share") {
  const ModelGraph graph =
      Graph(LayerGraph() + "fft,FFT,\"[['FFT', (8, 8)]]\",[],[],set(),set(),[],\"(8, 8)\"\n");
  const GraphForecast forecast =
      ForecastGraph(graph, Plan("opt_13-inf-512-2", graph), On("H100-SXM"));
  REQUIRE(forecast.unknown.size() == 1);
  CHECK(forecast.unknown[0] == "fft (FFT)");
  CHECK(forecast.unknown_share == Approx(1.0 / 7));
}

TEST_CASE("the larger of two tensors has a gradient where the graph trains, and only there") {
  const std::string max =
      "max_1,misc,[],[],[],{'fc1'},set(),\"[(1024, 8192), (1,)]\",\"(1024, 8192)\"\n";
  const auto passes_of = [](const ModelGraph& graph) {
    std::vector<GraphPass> passes;
    for (const GraphOp& op : graph.nodes.back().ops) passes.push_back(op.pass);
    return passes;
  };
  CHECK(passes_of(Graph(LayerGraph() + max)) ==
        std::vector<GraphPass>{GraphPass::kForward, GraphPass::kBackward});
  const ModelGraph inference = Graph(
      std::string(kHeader) +
      "fc1,Linear,\"[['Linear', (1024, 2048, 8192)]]\",[],[],set(),set(),[],\"(1024, 8192)\"\n" +
      max);
  CHECK_FALSE(inference.training);
  CHECK(passes_of(inference) == std::vector<GraphPass>{GraphPass::kForward});
}

TEST_CASE("a product of four dimensions copies what was permuted, unless it is fused") {
  const auto graph_of = [](const std::string& shapes) {
    return Graph(std::string(kHeader) +
                 "permute_1,misc,[],[],[],set(),{'matmul'},[],\"(2, 16, 512, 64)\"\n"
                 "transpose,misc,[],[],[],set(),{'matmul'},[],\"(2, 16, 64, 512)\"\n"
                 "matmul,BMM,\"[['BMM', (32, 512, 64, 512)]]\",[],[],\"{'permute_1', "
                 "'transpose'}\",set(),\"" +
                 shapes + "\",\"(2, 16, 512, 512)\"\n");
  };
  const ModelGraph four = graph_of("[(2, 16, 512, 64), (2, 16, 64, 512)]");
  REQUIRE(four.nodes[2].ops.size() == 3);
  const double moved = four.nodes[2].ops[1].work.k + four.nodes[2].ops[2].work.k;
  CHECK(moved == (2 + 5) * 2 * 16 * 512 * 64);
  CHECK(FuseNodes(four)[2].ops.size() == 1);
  CHECK(graph_of("[(32, 512, 64), (32, 64, 512)]").nodes[2].ops.size() == 1);
}

TEST_CASE("dropout moves its mask, and none runs after OPT's softmax, which drops nothing") {
  const std::string nodes =
      "softmax,VECsoftmax,\"[['VECsoftmax', (1024, 512)]]\",[],[],set(),{'dropout'},[],\"(1024, "
      "512)\"\n"
      "dropout,dropout,\"[['MEM', ((1024, 512), (1024, 512))]]\",[],[],{'softmax'},set(),"
      "\"[(1024, 512)]\",\"(1024, 512)\"\n";
  const ModelGraph other = Graph(kHeader + nodes), opt = Graph(LayerGraph() + nodes);
  REQUIRE(other.nodes.back().ops.size() == 1);
  CHECK(other.nodes.back().ops[0].work.k == 1024 * 512 * 2 * 9 / 8);
  CHECK(opt.nodes.back().ops.empty());
  CHECK_FALSE(opt.nodes.back().unknown);
}

TEST_CASE(
    "an input that is broadcast is read again from memory where L2 cannot hold it meanwhile") {
  const auto sum_of = [](const std::string& mask, double l2_mb) {
    const ModelGraph graph = Graph(
        std::string(kHeader) +
        "add,VECadd,\"[['VECadd', (65536, 2048)]]\",[],[],set(),set(),\"[(1, 32, 2048, 2048), " +
        mask + "]\",\"(1, 32, 2048, 2048)\"\n");
    Device device = **FindDevice(BuiltInDevices(), "A100-PCIe-40GB");
    device.l2_mb = l2_mb;
    return ForecastGraph(graph, GraphPlan(), Forecaster(BuiltInTable(), device)).ms;
  };
  const double whole = sum_of("(1, 32, 2048, 2048)", 40), row = sum_of("(1, 1, 1, 2048)", 40);
  CHECK(row < 0.7 * whole);
  // 17 MB, and as much of both others before it comes again.
  CHECK(sum_of("(1, 1, 2048, 2048)", 10) ==
        Approx(sum_of("(1, 32, 2048, 2048)", 10)).epsilon(0.01));
  CHECK(sum_of("(1, 1, 2048, 2048)", 200) < 0.75 * sum_of("(1, 32, 2048, 2048)", 200));
}

TEST_CASE("collectives that a graph has are its own") {
  const ModelGraph graph =
      Graph(LayerGraph() +
            "sum,ALLREDUCE,\"[['ALLREDUCE', (1024, 2048)]]\",[],[],set(),set(),[],\"(1,)\"\n");
  CHECK(graph.divided);
  const GraphForecast forecast =
      ForecastGraph(graph, Plan("opt_13-inf-512-2-tp4", graph), On("H100-SXM"));
  CHECK(forecast.communication_ms > 0);
}

TEST_CASE("more GPUs than a node has are told where they communicate") {
  const ModelGraph graph = Graph(LayerGraph());
  const auto told = [&](const char* name) {
    const GraphForecast forecast = ForecastGraph(graph, Plan(name, graph), On("H100-SXM"));
    return std::count_if(forecast.notes.begin(), forecast.notes.end(), [](const std::string& note) {
      return note.find("more GPUs than the 8 of a node") == 0;
    });
  };
  CHECK(told("opt_13-train-512-32-dp8") == 0);
  CHECK(told("opt_13-train-512-32-dp16") == 1);
  CHECK(told("opt_13-inf-512-32-dp16") == 0);
  CHECK(told("opt_13-inf-512-32-tp4-pp4") == 1);
}

TEST_CASE("graphs that run in circles and sizes beyond all bounds get an answer") {
  const ModelGraph circle =
      Graph(std::string(kHeader) +
            "a,misc,[],[],[],{'b'},{'b'},[],\"(8,)\"\n"
            "b,misc,[],[],[],{'a'},{'a'},[],\"(8,)\"\n"
            "c,VECadd,\"[['VECadd', (8, 8)]]\",[],[],\"{'b', 'c'}\",{'c'},[],\"(8,)\"\n");
  CHECK(FuseNodes(circle).size() == 3);
  const ModelGraph huge = Graph(std::string(kHeader) +
                                "a,Linear,\"[['Linear', (1e300, 1e300, -5)], ['MEM', ((1e300, "
                                "1e300), (-1e300,), (1e300, 1e300, 0))]]\",[],[],"
                                "set(),set(),\"[(1e200, 1e200)]\",\"(1e200, 1e200)\"\n");
  const GraphForecast forecast = ForecastGraph(huge, GraphPlan(), On("H100-SXM"));
  CHECK(std::isfinite(forecast.ms));
  CHECK(forecast.ms > 0);
  CHECK_FALSE(IsPlausible(forecast));
  const ModelGraph graph = Graph(LayerGraph());
  GraphForecast real = ForecastGraph(graph, Plan("opt_13-train-512-2", graph), On("H100-SXM"));
  CHECK(IsPlausible(real));
  real.backward_ms = NAN;
  CHECK_FALSE(IsPlausible(real));
}

TEST_CASE("a node with more items than any model has is refused with its line, in any column") {
  std::string many = "[";
  for (int i = 0; i < 50'001; ++i) many += "(),";
  many += "]";
  const auto row = [&](const char* before, const char* after) {
    return ParseGraph(std::string(kHeader) + "x,misc," + before + "\"" + many + "\"" + after + "\n",
                      "g.csv");
  };
  CHECK(row("[],[],[],", ",set(),[],[]"));
  many.insert(1, many.substr(1, many.size() - 2));
  for (const Result<ModelGraph>& graph :
       {row("", ",[],[],set(),set(),[],[]"), row("[],[],[],", ",set(),[],[]"),
        row("[],[],[],set(),set(),", ",[]"), row("[],[],[],set(),set(),[],", "")}) {
    REQUIRE_FALSE(graph);
    CHECK(graph.error().what == "g.csv:2: the line lists more than 100000 items");
  }
}

TEST_CASE("more nodes than any model has are refused") {
  std::string text = "Name,OpName,FwOps\n";
  for (int i = 0; i < 1'000'001; ++i) text += "a,b,\n";
  const Result<ModelGraph> graph = ParseGraph(text, "g.csv");
  REQUIRE_FALSE(graph);
  CHECK(graph.error().what.find("g.csv:1000002: the nodes up to here") == 0);
}

TEST_CASE("broken graphs are refused with their line") {
  struct Wrong {
    std::string text, says;
  };
  const Wrong wrongs[] = {
      {"", "g.csv:1: the header of a graph is missing"},
      {"a,b\n1,2\n", "g.csv:1: the header of a graph is missing"},
      {kHeader, "'g.csv' has no nodes"},
      {std::string(kHeader) + "x,misc\n", "g.csv:2: the line has 2 columns"},
      {std::string(kHeader) + "x,misc,[[,[],[],set(),set(),[],\n", "g.csv:2: column FwOps"},
      {std::string(kHeader) + "x,misc,[],\"[1]\",[],set(),set(),[],\n", "g.csv:2: column BwOps"},
      {LayerGraph() + "\"x", "g.csv:10: a quote"}};
  for (const Wrong& wrong : wrongs) {
    const Result<ModelGraph> graph = ParseGraph(wrong.text, "g.csv");
    REQUIRE_FALSE(graph);
    CHECK(graph.error().what.find(wrong.says) == 0);
  }
}

}  // namespace gprofx::testing
