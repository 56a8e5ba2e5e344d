// The levels of stacks made by hand, and sums over them.
#include "core/levels/levels.h"

#include <catch2/catch.hpp>
#include <map>

#include "core/events/backward_marker.h"
#include "core/kernels/work_names.h"
#include "core/levels/level_sums.h"
#include "model_profile.h"
#include "tests/unit/core/random_profile.h"

namespace gprofx::testing {
namespace {

int64_t Sum(const std::vector<LevelSum>& rows) {
  int64_t sum = 0;
  for (const LevelSum& row : rows) sum += row.gpu_ns;
  return sum;
}

std::map<std::string, LevelSum> ByName(const ModelMaker& make, const Levels& levels, Level level) {
  std::map<std::string, LevelSum> out;
  for (const LevelSum& row : SumByLevel(make.profile, levels, level)) {
    out[KeyName(make.profile, levels, level, row.key)] = row;
  }
  return out;
}

}  // namespace

TEST_CASE("modules of stacks: class, calling line, the layer around") {
  ModelMaker make;
  const FrameId main = make.Python("<module>", "/home/ada/train.py", 10);
  const auto net = make.Module(main, "Net", 20);
  constexpr char kModel[] = "/home/ada/model.py";
  const auto first = make.Module(make.Python("Net.forward", kModel, 21), "Linear", 30);
  const auto second = make.Module(make.Python("Net.forward", kModel, 22), "Linear", 30);
  const NodeId own = make.Node({net, make.Op("add_Tensor", "add_kernel")});
  const NodeId one = make.Node({net, first, make.Op("addmm", "gemm")});
  const NodeId two = make.Node({net, second, make.Op("addmm", "gemm")});
  make.Run(own, 5);
  make.Run(one, 100);
  make.Run(two, 200);
  const Levels levels = FindLevels(make.profile);
  // The frame of Net.forward stands on each stack twice: as the callee and as the line that calls.
  const uint32_t first_layer = levels.LayerAt(one), second_layer = levels.LayerAt(two);
  CHECK(levels.layer(levels.LayerAt(own)).Name() == "Net_0");
  CHECK(levels.layer(first_layer).Name() == "Linear_0");
  CHECK(levels.layer(second_layer).Name() == "Linear_1");
  CHECK(levels.layer(first_layer).parent == levels.LayerAt(own));
  CHECK(make.profile.frame(levels.layer(first_layer).site).line == 21);
  CHECK(make.profile.frame(levels.layer(second_layer).site).line == 22);
  const auto layers = ByName(make, levels, Level::kLayer);
  CHECK(layers.at("Net_0").gpu_ns == 5);
  CHECK(layers.at("Net_0").total_ns == 305);
  CHECK(layers.at("Linear_1").gpu_ns == 200);
  const auto operators = ByName(make, levels, Level::kOperator);
  CHECK(operators.at("addmm").gpu_ns == 300);
  CHECK(operators.at("addmm").operations == 2);
  const auto libraries = ByName(make, levels, Level::kLibrary);
  REQUIRE(libraries.size() == 1);
  CHECK(libraries.count("/opt/libtorch_cuda.so") == 1);
  CHECK(ByName(make, levels, Level::kCall).at("cudaLaunchKernel").gpu_ns == 305);
}

TEST_CASE("layers that one line calls are told apart by what stands at the leaf") {
  ModelMaker make;
  const FrameId main = make.Python("<module>", "/home/ada/train.py", 10);
  const auto net = make.Module(main, "Net", 20);
  const FrameId line = make.Python("Net.forward", "/home/ada/model.py", 21);
  const auto block = make.Module(line, "Block", 30);
  const auto op = make.Op("addmm", "gemm");
  const std::vector<FrameId> launch(op.begin(), op.end() - 1), kernel(op.end() - 1, op.end());
  NodeId of[3], plain;
  for (int i = 0; i < 3; ++i) {
    const std::string path = "Net > h." + std::to_string(i) + ": Block";
    of[i] = make.Node({net, block, launch, {make.Layers(path)}, kernel});
    make.Run(of[i], 100 + i);
  }
  const Levels levels = FindLevels(make.profile);
  REQUIRE(levels.layers.size() == 4);  // nothing is made up for the nodes above
  CHECK(levels.layer(1).Name() == "Net");
  for (int i = 0; i < 3; ++i) {
    const Layer& layer = levels.layer(levels.LayerAt(of[i]));
    CHECK(layer.Name() == "Net.h." + std::to_string(i));
    CHECK(layer.type == "Block");
    CHECK(layer.parent == 1);
    CHECK(layer.site == line);
    CHECK(make.profile.frame(layer.code).line == 30);
    CHECK(levels.op(levels.at(of[i]).op) == "addmm");
  }
  auto layers = ByName(make, levels, Level::kLayer);
  CHECK(layers.at("Net.h.2").gpu_ns == 102);
  CHECK(layers.at("Net").gpu_ns == 0);
  CHECK(layers.at("Net").total_ns == 303);
  const Levels types = FoldTypes(levels);
  layers = ByName(make, types, Level::kLayer);
  CHECK(layers.at("Block").gpu_ns == 303);
  CHECK(layers.at("Block").operations == 3);
  CHECK(layers.size() == 2);

  // A stack without a name, as one that was torn, has what its frames say.
  plain = make.Node({net, block, op});
  make.Run(plain, 7);
  const Levels both = FindLevels(make.profile);
  CHECK(both.layer(both.LayerAt(plain)).path.empty());
  CHECK(both.layer(both.LayerAt(plain)).type == "Block");
  CHECK(both.layer(both.LayerAt(of[1])).Name() == "Net.h.1");
  CHECK(Sum(SumByLevel(make.profile, both, Level::kLayer)) == 310);
}

TEST_CASE("a module whose forward is not seen is not invented") {
  ModelMaker make;
  auto call = make.Module(make.Python("f", "/home/ada/a.py", 1), "Hidden");
  call.pop_back();
  const NodeId node = make.Node({call, make.Op("mm", "gemm")});
  make.Run(node, 7);
  const Levels levels = FindLevels(make.profile);
  CHECK(levels.LayerAt(node) == 0);
  CHECK(levels.layers.empty());
}

TEST_CASE("spans of a profiler name their modules themselves") {
  ModelMaker make;
  const auto call = make.Module(make.Span("nn.Module: Linear_3"), "Linear");
  const NodeId node =
      make.Node({{make.Span("nn.Module: Net_0")}, call, {make.Span("aten::mm"), make.Kernel("k")}});
  make.Run(node, 9);
  const Levels levels = FindLevels(make.profile);
  CHECK(levels.layer(levels.LayerAt(node)).Name() == "Linear_3");
  CHECK(levels.layers.size() == 2);
  CHECK(levels.op(levels.at(node).op) == "mm");
}

TEST_CASE("a kernel of XLA is called as the instruction that it was made of") {
  ModelMaker make;
  const FrameId main = make.Python("<module>", "/home/ada/train.py", 10);
  const auto xla = make.Native("xla::gpu::KernelThunk::ExecuteOnStream(x)",
                               "/x/jax_plugins/xla_cuda13/xla_cuda_plugin.so");
  const auto at = [&](FrameId launcher, const char* kernel) {
    return make.Node({{main, launcher, make.Native("cuLaunchKernel", "/lib/libcuda.so.1"),
                       make.Kernel(kernel)}});
  };
  const NodeId fused = at(xla, "loop_add_fusion_15"), gemm = at(xla, "nvjet_tst_64x8"),
               other = at(make.Native("mine(x)", "/home/ada/mine.so"), "loop_add_fusion_15");
  for (const NodeId node : {fused, gemm, other}) make.Run(node, 5);
  const Levels levels = FindLevels(make.profile);
  REQUIRE(levels.at(fused).op != 0);
  CHECK(levels.op(levels.at(fused).op) == "loop_add_fusion_15");
  CHECK(levels.at(gemm).op == 0);
  CHECK(levels.at(other).op == 0);  // who launched it names kernels by other rules
  CHECK(ByName(make, levels, Level::kOperator).at("loop_add_fusion_15").gpu_ns == 5);
}

TEST_CASE("work of a CUDA graph has the layers of its capture") {
  ModelMaker make;
  const FrameId main = make.Python("<module>", "/home/ada/train.py", 10);
  const auto replayed = make.Module(main, "Replay"), captured = make.Module(main, "Linear");
  const NodeId node = make.Node({replayed,
                                 make.Op("add", "none"),
                                 {make.Marker("[CUDA graph]")},
                                 captured,
                                 make.Op("mm", "gemm")});
  make.Run(node, 3);
  const Levels levels = FindLevels(make.profile);
  CHECK(levels.layer(levels.LayerAt(node)).type == "Linear");
  CHECK(levels.layer(levels.LayerAt(node)).parent == 0);
  CHECK(levels.op(levels.at(node).op) == "mm");
}

TEST_CASE("work below the marker of an importer is backward work of its layer") {
  ModelMaker make;
  const FrameId span = make.Span("nn.Module: Linear_1"), op = make.Span("aten::addmm");
  make.Run(make.Node({{span, op, make.Kernel("k")}}), 10);
  make.Run(make.Node({{make.Marker(kBackwardMarker), span, op, make.Span("AddmmBackward0"),
                       make.Span("aten::mm"), make.Kernel("k")}}),
           20);
  const Levels levels = FindLevels(make.profile);
  const auto layers = ByName(make, levels, Level::kLayer);
  REQUIRE(layers.size() == 1);
  CHECK(layers.at("Linear_1").gpu_ns == 30);
  CHECK(layers.at("Linear_1").backward_ns == 20);
  CHECK(ByName(make, levels, Level::kOperator).at("mm").backward_ns == 20);
}

TEST_CASE("what lies in no layer is told apart") {
  ModelMaker make;
  make.Run(make.Node({{make.Marker(kLaunchedBefore), make.Kernel("k")}}), 1);
  make.Run(make.Node({{make.Python("Adam.step", "/x/site-packages/torch/optim/adam.py", 3),
                       make.Kernel("k")}}),
           2);
  make.Run(make.Node({{make.Kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)")}}), 4);
  make.Run(make.Node({{make.Kernel("k")}}), 8);
  const OutsideLayers outside = SumOutside(make.profile, FindLevels(make.profile), {});
  CHECK(outside.before_ns == 1);
  CHECK(outside.optimizer_ns == 2);
  CHECK(outside.communication_ns == 4);
  CHECK(outside.other_ns == 8);
}

TEST_CASE("shares of a node add up to it, to the nanosecond") {
  ModelMaker make;
  const NodeId node = make.Node({{make.Kernel("k")}});
  const NodeId named = make.Node({{make.Span("nn.Module: A_0"), make.Kernel("k")}});
  make.Run(named, 1);
  make.Run(node, 100);
  const Levels levels = FindLevels(make.profile);
  const uint32_t path = levels.at(named).layer_path;
  const std::vector<LayerShare> shares = {{node, 0, 1, 1}, {node, path, 2, 1}};
  const auto rows = SumByLevel(make.profile, levels, Level::kLayer, shares);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].gpu_ns == 67);  // 1 + 66
  CHECK(rows[1].key == 0);
  CHECK(rows[1].gpu_ns == 34);
  CHECK(Sum(rows) == 101);
}

TEST_CASE("sums over each level are the GPU time of any profile") {
  for (const uint32_t seed : {1u, 2u, 3u}) {
    Profile profile = test::RandomProfile(seed, 500);
    const MetricId gpu = profile.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
    int64_t all = 0;
    for (uint32_t i = 1; i <= profile.nodes.size(); i += 3) {
      profile.AddSelf(NodeId{i}, ThreadId{1}, gpu, i);
      all += i;
    }
    const Levels levels = FindLevels(profile);
    for (const Level level :
         {Level::kLayer, Level::kOperator, Level::kLibrary, Level::kCall, Level::kKernel}) {
      CHECK(Sum(SumByLevel(profile, levels, level)) == all);
    }
    CHECK(GpuTime(profile) == all);
  }
}

}  // namespace gprofx::testing
