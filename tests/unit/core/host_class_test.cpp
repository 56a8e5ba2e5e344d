#include "core/model/host_class.h"

#include <catch2/catch.hpp>

namespace gprofx {
namespace {

struct Tree {
  NodeId Python(NodeId parent, const char* file) {
    Function function;
    function.name = profile.Intern("f");
    function.file = profile.Intern(file);
    Frame frame;
    frame.kind = FrameKind::kPython;
    frame.function = profile.Intern(function);
    return profile.Child(parent, profile.Intern(frame));
  }
  NodeId Native(NodeId parent, const char* module) {
    profile.modules.push_back({profile.Intern(module), {}, 0});
    Frame frame;
    frame.kind = FrameKind::kNative;
    frame.module = ModuleId{static_cast<uint32_t>(profile.modules.size())};
    return profile.Child(parent, profile.Intern(frame));
  }
  Profile profile;
};

TEST_CASE("a call path says what the CPU did") {
  Tree tree;
  HostClasses classes(tree.profile);
  const NodeId train = tree.Python(tree.profile.root(), "/home/u/train.py");
  const NodeId loader = tree.Python(train, "/x/torch/utils/data/dataloader.py");
  CHECK(classes.Of(train, kStateGilHeld) == HostClass::kPython);
  CHECK(classes.Of(loader, kStateGilHeld) == HostClass::kDataLoading);
  const NodeId wait = tree.Native(loader, "/lib/libc.so.6");
  CHECK(classes.Of(wait, kStateGilReleased) == HostClass::kDataLoading);
  const NodeId torch = tree.Native(train, "/x/libtorch_cpu.so");
  CHECK(classes.Of(torch, kStateGilReleased) == HostClass::kNative);
  CHECK(classes.Of(torch, kStateGilHeld) == HostClass::kPython);
  CHECK(classes.Of(tree.Native(torch, "/usr/lib/libcuda.so.580.1"), kStateGilReleased) ==
        HostClass::kCudaCall);
  CHECK(classes.Of(tree.Native(torch, "/x/libcudart.so.13"), kStateNoPython) ==
        HostClass::kCudaCall);
  const NodeId queue = tree.Python(train, "/usr/lib/python3.12/multiprocessing/queues.py");
  CHECK(classes.Of(queue, kStateGilHeld) == HostClass::kDataLoading);
  // A thread that waits does so where it was.
  Frame idle;
  idle.kind = FrameKind::kIdle;
  const FrameId idle_frame = tree.profile.Intern(idle);
  CHECK(classes.Of(tree.profile.Child(train, idle_frame), kStateIdle) == HostClass::kPython);
  CHECK(classes.Of(tree.profile.Child(torch, idle_frame), kStateIdle) == HostClass::kNative);
  CHECK(classes.Of(NodeId{}, 0) == HostClass::kNative);
}

}  // namespace
}  // namespace gprofx
