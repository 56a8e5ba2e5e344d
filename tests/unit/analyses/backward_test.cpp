// Backward work finds its layer by the order of calls, or finds none.
#include "core/levels/backward.h"

#include <catch2/catch.hpp>
#include <string>

#include "model_profile.h"

namespace gprofx::testing {
namespace {

// Two linear layers and a ReLU that calls no operator of a GPU in its forward pass.
struct Net {
  ModelMaker make;
  FrameId main = make.Python("<module>", "/home/ada/train.py", 10);
  std::vector<FrameId> net = make.Module(main, "Net", 20);
  NodeId forward[2], backward = Backward("Addmm", "mm"), view = Backward("View", "copy_"),
                     accumulate = Accumulate();

  Net() {
    for (uint32_t i = 0; i < 2; ++i) {
      const FrameId line = make.Python("Net.forward", "/home/ada/model.py", 21 + i);
      forward[i] = make.Node({net, make.Module(line, "Linear", 30), make.Op("addmm", "gemm")});
    }
  }

  std::vector<FrameId> Engine() {
    return {main, make.Native("torch::autograd::Engine::thread_main(x)"),
            make.Native("torch::autograd::Node::operator()(x)")};
  }
  NodeId Backward(const std::string& name, const char* op) {
    const std::string frame = "torch::autograd::generated::" + name + "Backward0::apply(x)";
    return make.Node({Engine(), {make.Native(frame)}, make.Op(op, "gemm_backward")});
  }
  NodeId Accumulate() {
    return make.Node({Engine(), {make.Native("torch::autograd::AccumulateGrad::apply(x)")},
                      make.Op("add_", "add")});
  }

  std::vector<std::string> Layers() {
    const Levels levels = FindLevels(make.profile);
    std::vector<std::string> names;
    for (const uint32_t path : LayerPaths(make.profile, levels, make.work.operations)) {
      names.push_back(path == 0 ? "" : levels.layer(levels.LayerOf(path)).Name());
    }
    return names;
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("the last call of an operator comes first in the backward pass") {
  Net net;
  for (int step = 0; step < 2; ++step) {
    for (const NodeId node : net.forward) net.make.Run(node, 10);
    for (int i = 0; i < 2; ++i) net.make.Run(net.backward, 20);
  }
  CHECK(net.Layers() == Names{"Linear_0", "Linear_1", "Linear_1", "Linear_0", "Linear_0",
                              "Linear_1", "Linear_1", "Linear_0"});
  const Levels levels = FindLevels(net.make.profile);
  const auto& operations = net.make.work.operations;
  const auto shares =
      LayerShares(levels, operations, LayerPaths(net.make.profile, levels, operations));
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].weight == 40);
  CHECK(shares[1].calls == 2);
}

TEST_CASE("layers that one line calls have their own backward work") {
  Net net;
  ModelMaker& make = net.make;
  const FrameId line = make.Python("Net.forward", "/home/ada/model.py", 25);
  const auto op = make.Op("addmm", "gemm");
  const std::vector<FrameId> launch(op.begin(), op.end() - 1), kernel(op.end() - 1, op.end());
  const auto layer = [&](const char* path) {
    return make.Node({net.net, make.Module(line, "Linear", 30), launch, {make.Layers(path)}, kernel});
  };
  const NodeId first = layer("Net > h.0: Linear"), second = layer("Net > h.1: Linear");
  for (int step = 0; step < 2; ++step) {
    make.Run(first, 10);
    make.Run(second, 10);
    for (int i = 0; i < 2; ++i) make.Run(net.backward, 20);
  }
  CHECK(net.Layers() == Names{"Net.h.0", "Net.h.1", "Net.h.1", "Net.h.0", "Net.h.0", "Net.h.1",
                              "Net.h.1", "Net.h.0"});
}

TEST_CASE("where counts differ nothing is claimed, but of one layer") {
  Net net;
  for (const NodeId node : net.forward) net.make.Run(node, 10);
  net.make.Run(net.backward, 20);
  CHECK(net.Layers() == Names{"Linear_0", "Linear_1", ""});
  Net one;
  one.make.Run(one.forward[1], 10);
  for (int i = 0; i < 3; ++i) one.make.Run(one.backward, 20);
  CHECK(one.Layers() == Names{"Linear_1", "Linear_1", "Linear_1", "Linear_1"});
}

TEST_CASE("work between known nodes lies in the layer around them") {
  Net net;
  for (const NodeId node : net.forward) net.make.Run(node, 10);
  net.make.Run(net.view, 1);  // before any known one
  net.make.Run(net.backward, 20);
  net.make.Run(net.view, 1);
  net.make.Run(net.backward, 20);
  net.make.Run(net.view, 1);  // behind all
  CHECK(net.Layers() == Names{"Linear_0", "Linear_1", "", "Linear_1", "Net_0", "Linear_0", ""});
}

TEST_CASE("a gradient is added to where the node before it lies") {
  Net net;
  for (const NodeId node : net.forward) net.make.Run(node, 10);
  net.make.Run(net.backward, 20);
  net.make.Run(net.accumulate, 1);
  net.make.Run(net.backward, 20);
  net.make.Run(net.accumulate, 1);
  CHECK(net.Layers() ==
        Names{"Linear_0", "Linear_1", "Linear_1", "Linear_1", "Linear_0", "Linear_0"});
}

TEST_CASE("an optimizer's operators are no forward pass") {
  Net net;
  const FrameId step = net.make.Python("SGD.step", "/x/site-packages/torch/optim/sgd.py", 3);
  const NodeId update = net.make.Node({{net.main, step}, net.make.Op("addmm", "gemm")});
  for (int i = 0; i < 2; ++i) {
    for (const NodeId node : net.forward) net.make.Run(node, 10);
    for (int j = 0; j < 2; ++j) net.make.Run(net.backward, 20);
    net.make.Run(update, 5);
  }
  const Names names = net.Layers();
  CHECK(names[7] == "Linear_1");
  CHECK(names[8] == "Linear_0");
  CHECK(names[9].empty());
}

TEST_CASE("an operator that calls itself behind its casts is one call") {
  Net net;
  ModelMaker& make = net.make;
  const FrameId outer = make.Native("at::_ops::addmm::call(at::Tensor const&)", "/opt/autocast.so");
  std::vector<NodeId> cast, gemm;
  for (uint32_t i = 0; i < 2; ++i) {
    const FrameId line = make.Python("Net.forward", "/home/ada/model.py", 21 + i);
    const auto layer = make.Module(line, "Linear", 30);
    cast.push_back(make.Node({net.net, layer, {outer}, make.Op("_to_copy", "copy")}));
    gemm.push_back(make.Node({net.net, layer, {outer}, make.Op("addmm", "gemm")}));
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) make.Run(cast[i], 1);
    make.Run(gemm[i], 10);
  }
  for (int i = 0; i < 2; ++i) make.Run(net.backward, 20);
  const Names names = net.Layers();
  CHECK(names[8] == "Linear_1");
  CHECK(names[9] == "Linear_0");
}

}  // namespace gprofx::testing
