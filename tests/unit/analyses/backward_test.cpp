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
    return make.Node({Engine(),
                      {make.Native("torch::autograd::AccumulateGrad::apply(x)")},
                      make.Op("add_", "add")});
  }

  // Below the engine, in no node.
  NodeId BelowEngine(const char* function, const char* op) {
    return make.Node(
        {{main, make.Native("torch::autograd::Engine::thread_main(x)"), make.Native(function)},
         make.Op(op, "kernel")});
  }
  // A pass in which `what` is behind each node; the layers of its six operations.
  std::vector<std::string> WithBehindEach(NodeId what) {
    make.work.operations.clear();
    for (const NodeId node : forward) make.Run(node, 10);
    for (int i = 0; i < 2; ++i) {
      make.Run(backward, 20);
      make.Run(what, 1);
    }
    return Layers();
  }

  std::vector<std::string> Layers() {
    const Levels levels = FindLevels(make.profile);
    std::vector<std::string> names;
    const OperationPaths of =
        LayerPaths(make.profile, levels, make.work.operations, make.work.windows);
    for (const uint32_t path : of.paths) {
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
      LayerShares(levels, operations, LayerPaths(net.make.profile, levels, operations, {}));
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].weight == 40);
  CHECK(shares[1].calls == 2);
}

TEST_CASE("functions with a backward() of their own are operators, joined by their class") {
  Net net;
  ModelMaker& make = net.make;
  const char* kFile = "/opt/torch/autograd/function.py";
  const FrameId line = make.Python("Net.forward", "/home/ada/model.py", 27);
  const FrameId forward = make.Python("f.<locals>.Compiled.forward", "/opt/torch/aot.py", 50);
  const FrameId native = make.Native("THPFunction_apply(x)");
  const NodeId work = make.Node({net.net,
                                 make.Module(line, "Optimized", 30),
                                 {make.Python("Function.apply", kFile, 9), native, forward},
                                 {make.Kernel("triton")}});
  const auto backward = [&](const char* caller) {
    return make.Node(
        {net.Engine(),
         {make.Native("torch::autograd::PyNode::apply(x)"), make.Python(caller, kFile, 10), native,
          make.Python("f.<locals>.Compiled.backward", "/opt/torch/aot.py", 60)},
         {make.Kernel("triton_backward")}});
  };
  const NodeId gradient = backward("BackwardCFunction.apply"), other = backward("other");
  const NodeId decorated =
      make.Node({net.Engine(),
                 {make.Python("BackwardCFunction.apply", kFile, 10),
                  make.Python("once_differentiable.<locals>.wrapper", kFile, 11),
                  make.Python("f.<locals>.Compiled.backward", "/opt/torch/aot.py", 61)},
                 {make.Kernel("triton_backward")}});
  for (int step = 0; step < 2; ++step) {
    for (const NodeId node : {net.forward[0], work, net.forward[1]}) make.Run(node, 10);
    for (const NodeId node : {net.backward, gradient, net.backward}) make.Run(node, 20);
  }
  CHECK(net.Layers() == Names{"Linear_0", "Optimized_0", "Linear_1", "Linear_1", "Optimized_0",
                              "Linear_0", "Linear_0", "Optimized_0", "Linear_1", "Linear_1",
                              "Optimized_0", "Linear_0"});
  const Levels levels = FindLevels(make.profile);
  CHECK(levels.op(levels.at(work).op) == "Compiled");
  CHECK(levels.op(levels.at(gradient).op) == "CompiledBackward");
  CHECK(levels.at(other).op == 0);  // a method of that name that autograd does not call
  CHECK(levels.op(levels.at(decorated).op) == "CompiledBackward");
  const NodeId alone = make.Node({{net.main, forward}, {make.Kernel("triton")}});
  CHECK(FindLevels(make.profile).at(alone).op == 0);
}

TEST_CASE("what a checkpoint runs inside is not its own") {
  Net net;
  ModelMaker& make = net.make;
  const char* kFile = "/opt/torch/autograd/function.py";
  const auto code = [&](const char* name, uint32_t line) {
    return make.Python(name, "/opt/torch/utils/checkpoint.py", line);
  };
  const std::vector<FrameId> forward = {make.Python("Function.apply", kFile, 9),
                                        code("CheckpointFunction.forward", 5)};
  const std::vector<FrameId> backward = {make.Python("BackwardCFunction.apply", kFile, 10),
                                         code("CheckpointFunction.backward", 20)};
  const FrameId line = make.Python("Net.forward", "/home/ada/model.py", 27);
  const auto linear = make.Module(line, "Linear", 30);
  const NodeId inside = make.Node({net.net, forward, linear, {make.Kernel("triton")}});
  const NodeId own = make.Node({net.net, forward, {make.Kernel("triton")}});
  const NodeId two = make.Node(
      {net.net, {forward[0], code("CheckpointFunction.forward", 6)}, {make.Kernel("triton")}});
  const NodeId nested = make.Node({net.Engine(), backward, net.Engine(), {make.Kernel("sum")}});
  const NodeId sum = make.Node({net.Engine(),
                                backward,
                                {make.Native("torch::autograd::Engine::thread_main(x)")},
                                {make.Kernel("sum")}});
  const Levels levels = FindLevels(make.profile);
  CHECK(levels.at(inside).op == 0);
  CHECK(levels.op(levels.at(own).op) == "CheckpointFunction");
  CHECK(levels.at(two).op_node == levels.at(own).op_node);  // another line of the same call
  CHECK(levels.at(nested).backward == 0);
  CHECK(levels.at(nested).in_node);
  CHECK(levels.at(sum).backward == 0);
  CHECK_FALSE(levels.at(sum).in_node);
}

TEST_CASE("layers that one line calls have their own backward work") {
  Net net;
  ModelMaker& make = net.make;
  const FrameId line = make.Python("Net.forward", "/home/ada/model.py", 25);
  const auto op = make.Op("addmm", "gemm");
  const std::vector<FrameId> launch(op.begin(), op.end() - 1), kernel(op.end() - 1, op.end());
  const auto layer = [&](const char* path) {
    return make.Node(
        {net.net, make.Module(line, "Linear", 30), launch, {make.Layers(path)}, kernel});
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

TEST_CASE("where counts differ no more is claimed than what is around all calls") {
  Net net;
  for (const NodeId node : net.forward) net.make.Run(node, 10);
  net.make.Run(net.backward, 20);
  CHECK(net.Layers() == Names{"Linear_0", "Linear_1", "Net_0"});
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

TEST_CASE("what autograd does between two nodes belongs to the one before") {
  Net net;
  const NodeId shape = net.BelowEngine("torch::autograd::validate_outputs(x)", "sum");
  CHECK(net.WithBehindEach(shape) == net.WithBehindEach(net.accumulate));
}

// Three blocks of a product and a ReLU, and what their backward passes run.
struct Blocks {
  Net net;
  std::vector<NodeId> forward;
  NodeId product = net.Backward("Mm", "mm"), relu = net.Backward("Relu", "threshold"),
         loss = net.Backward("MseLoss", "mse");
  NodeId program = net.make.Node({{net.main}, net.make.Op("mse_loss", "mse")});

  Blocks() {
    ModelMaker& make = net.make;
    for (uint32_t i = 0; i < 3; ++i) {
      const FrameId line = make.Python("Net.forward", "/home/ada/model.py", 31 + i);
      forward.push_back(
          make.Node({net.net, make.Module(line, "Dense", 40), make.Op("mm", "gemm")}));
      const FrameId next = make.Python("Net.forward", "/home/ada/model.py", 41 + i);
      forward.push_back(
          make.Node({net.net, make.Module(next, "Act", 50), make.Op("relu", "relu")}));
    }
  }
  void Forward() {
    for (const NodeId node : forward) net.make.Run(node, 10);
    net.make.Run(program, 1);
  }
};

TEST_CASE("nodes that are not run are told by their neighbours") {
  Blocks blocks;
  blocks.Forward();
  ModelMaker& make = blocks.net.make;
  make.Run(blocks.loss, 1);
  // The input needs no gradient, so the first product has no node; a call of the second looks like
  // two, so that there are as many of them as products. One of the two stands against the order.
  for (const NodeId node :
       {blocks.relu, blocks.product, blocks.relu, blocks.product, blocks.product, blocks.relu}) {
    make.Run(node, 20);
  }
  const Names names = blocks.net.Layers();
  CHECK(Names(names.begin() + 8, names.end()) ==
        Names{"Act_2", "Dense_2", "Act_1", "Dense_1", "Net_0", "Act_0"});
}

TEST_CASE("of two calls that stand against each other neither is proven") {
  // A product without a gradient comes last, and a call of the second product looks like two: three
  // of each, of which the first of the backward pass would be the one without a gradient.
  Blocks blocks;
  ModelMaker& make = blocks.net.make;
  const FrameId line = make.Python("Net.forward", "/home/ada/model.py", 61);
  const NodeId metric =
      make.Node({blocks.net.net, make.Module(line, "Metric", 70), make.Op("mm", "gemm")});
  for (int i = 0; i < 4; ++i) make.Run(blocks.forward[i], 10);
  make.Run(metric, 10);
  for (const NodeId node :
       {blocks.relu, blocks.product, blocks.product, blocks.relu, blocks.product}) {
    make.Run(node, 20);
  }
  const Names names = blocks.net.Layers();
  CHECK(Names(names.begin() + 5, names.end()) ==
        Names{"Act_1", "Net_0", "Dense_1", "Act_0", "Dense_0"});
}

TEST_CASE("passes of one sequence in other layers leave a part to what is around them") {
  Net net;
  ModelMaker& make = net.make;
  std::vector<NodeId> heads;
  for (uint32_t i = 0; i < 2; ++i) {
    const FrameId line = make.Python("Net.forward", "/home/ada/model.py", 41 + i);
    heads.push_back(make.Node({net.net, make.Module(line, "Head", 50), make.Op("mm", "gemm")}));
  }
  const NodeId product = net.Backward("Mm", "mm");
  const auto pass = [&](size_t head) {
    make.Run(net.forward[0], 10);
    make.Run(heads[head], 10);
    make.Run(product, 20);
  };
  pass(0);
  make.Run(net.backward, 20);
  pass(1);
  make.Run(net.backward, 20);
  make.Run(net.forward[0], 10);  // of the next one
  make.Untraced(1000);
  make.Run(product, 20);  // of which head?
  make.Run(net.backward, 20);
  pass(1);  // its own forward pass says it
  make.Untraced(1000);
  CHECK(net.Layers() == Names{"Linear_0", "Head_0", "Head_0", "Linear_0",  //
                              "Linear_0", "Head_1", "Head_1", "Linear_0",  //
                              "Linear_0", "Net_0", "Linear_0",             //
                              "Linear_0", "Head_1", "Head_1"});
}

TEST_CASE("parts of a model that was never seen as a whole are not those of another one") {
  Blocks blocks;
  ModelMaker& make = blocks.net.make;
  const std::vector<FrameId> other = make.Module(blocks.net.main, "Critic", 80);
  const FrameId line = make.Python("Critic.forward", "/home/ada/model.py", 81);
  const NodeId product = make.Node({other, make.Module(line, "Dense", 40), make.Op("mm", "gemm")});
  blocks.Forward();
  for (const NodeId node : {blocks.loss, blocks.relu, blocks.product, blocks.relu, blocks.product,
                            blocks.relu, blocks.product}) {
    make.Run(node, 20);
  }
  for (int i = 0; i < 9; ++i) make.Run(product, 10);
  make.Untraced(1000);
  make.Run(blocks.product, 20);
  make.Untraced(1000);
  const Names names = blocks.net.Layers();
  CHECK(names.back().empty());  // of either
}

TEST_CASE("a part that may be anywhere is nowhere, however long it is") {
  Net net;
  ModelMaker& make = net.make;
  for (int i = 0; i < 3000; ++i) make.Run(net.forward[0], 1);
  for (int i = 0; i < 3000; ++i) make.Run(net.backward, 1);
  make.Run(net.forward[0], 1);
  make.Untraced(1000);
  for (int i = 0; i < 1500; ++i) make.Run(net.backward, 1);
  make.Untraced(1000);
  const Names names = net.Layers();
  CHECK(names[3000] == "Linear_0");
  CHECK(names.back().empty());
}

TEST_CASE("what is done behind all nodes belongs to none") {
  Net net;
  const NodeId copy =
      net.BelowEngine("torch::autograd::GraphTask::exec_post_processing()", "copy_");
  net.WithBehindEach(net.accumulate);
  net.make.Run(copy, 5);
  CHECK(net.Layers().back().empty());
}

TEST_CASE("operations of a node stay together where another thread works beside it") {
  Net net;
  ModelMaker& make = net.make;
  make.profile.threads.push_back(make.profile.thread(make.thread));
  const ThreadId one = make.thread, other{2};
  const NodeId reduce =
      make.Node({net.Engine(),
                 {make.Native("torch::autograd::generated::AddmmBackward0::apply(x)")},
                 make.Op("sum", "reduce")});
  for (const NodeId node : net.forward) make.Run(node, 10);
  make.Run(net.backward, 20);
  make.thread = other;
  make.Run(net.backward, 20);
  make.thread = one;
  make.Run(reduce, 1);  // of the first one's call
  CHECK(net.Layers() == Names{"Linear_0", "Linear_1", "Linear_1", "Linear_0", "Linear_1"});
}

TEST_CASE("more calls than the forward pass has in its one layer are of others, too") {
  Net net;
  ModelMaker& make = net.make;
  make.Run(net.forward[1], 10);
  for (int i = 0; i < 3; ++i) {
    make.Run(net.backward, 20);
    make.Run(net.view, 1);
  }
  for (const std::string& name : net.Layers()) CHECK((name.empty() || name == "Linear_1"));
  CHECK(net.Layers()[3].empty());
}

TEST_CASE("operations behind the end of a window are cut off on both sides") {
  Net net;
  ModelMaker& make = net.make;
  for (int step = 0; step < 2; ++step) {
    for (const NodeId node : net.forward) make.Run(node, 10);
    make.Run(net.backward, 20);
    if (step == 1) {
      make.Untraced(1000);
      make.work.windows[0].end -= 15;  // the last one was launched before, and is of no window
      make.work.windows[1].begin -= 15;
      for (const NodeId node : net.forward) make.Run(node, 10);
      for (int i = 0; i < 4; ++i) make.Run(net.backward, 20);
      make.Untraced(1000);
    } else {
      make.Run(net.backward, 20);
    }
  }
  const Names names = net.Layers();
  // The forward pass behind the gap has two calls, the backward pass four: nothing but what is
  // around them.
  for (size_t i = names.size() - 4; i < names.size(); ++i) CHECK(names[i] != "Linear_0");
}

TEST_CASE("a pass that was seen in part is a part of one that was seen as a whole") {
  Blocks blocks;
  ModelMaker& make = blocks.net.make;
  const auto backward = [&](int begin, int end) {
    const NodeId nodes[] = {blocks.loss,    blocks.relu, blocks.product, blocks.relu,
                            blocks.product, blocks.relu, blocks.product};
    for (int i = begin; i < end; ++i) make.Run(nodes[i], 20);
  };
  blocks.Forward();
  backward(0, 7);
  blocks.Forward();
  backward(0, 4);
  make.Untraced(1000);
  backward(4, 7);  // of a later pass: the forward pass behind it is not its own
  blocks.Forward();
  backward(0, 3);
  make.Untraced(1000);
  backward(5, 7);  // may be any of the three
  make.Untraced(1000);
  const Names names = blocks.net.Layers();
  const auto part = [&](size_t begin, size_t count) {
    return Names(names.begin() + static_cast<ptrdiff_t>(begin),
                 names.begin() + static_cast<ptrdiff_t>(begin + count));
  };
  CHECK(part(7, 7) == Names{"", "Act_2", "Dense_2", "Act_1", "Dense_1", "Act_0", "Dense_0"});
  CHECK(part(21, 4) == Names{"", "Act_2", "Dense_2", "Act_1"});
  // A product, a ReLU and a product: of the first three or the last.
  CHECK(part(25, 3) == Names{"Net_0", "Net_0", "Net_0"});
  CHECK(part(35, 3) == Names{"", "Act_2", "Dense_2"});
  CHECK(part(38, 2) == Names{"Net_0", "Net_0"});
}

TEST_CASE("backward work of what the program calls in no module is the program's") {
  Blocks blocks;
  blocks.Forward();
  blocks.net.make.Run(blocks.loss, 5);
  const Levels levels = FindLevels(blocks.net.make.profile);
  const auto& operations = blocks.net.make.work.operations;
  const OperationPaths of = LayerPaths(blocks.net.make.profile, levels, operations, {});
  REQUIRE(of.forwards.size() == 8);
  CHECK(of.paths[7] == 0);
  CHECK(levels.op(levels.at(of.forwards[7]).op) == "mse_loss");
  const auto shares = LayerShares(levels, operations, of);
  const OutsideLayers outside = SumOutside(blocks.net.make.profile, levels, shares);
  CHECK(outside.program_ns == 1 + 5);
  CHECK(outside.other_ns == 0);
}

TEST_CASE("a gradient is added to where the node before it lies") {
  Net net;
  CHECK(net.WithBehindEach(net.accumulate) ==
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
