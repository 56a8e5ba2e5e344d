#include "core/profiling_time.h"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gprofx {
namespace {

// Stacks by their modules, root first, with time in the leaf of each.
class Stacks {
 public:
  Stacks() {
    profile.metrics = {{"cpu", "ns"}, {"samples", "count"}, {"gpu", "ns", MetricKind::kExact}};
  }

  NodeId Add(std::initializer_list<const char*> modules, int64_t ns) {
    NodeId node{1};
    for (const char* module : modules) node = profile.Child(node, FrameOf(module));
    profile.values.push_back({node, ThreadId{1}, MetricId{1}, ns});
    profile.values.push_back({node, ThreadId{1}, MetricId{2}, 1});
    return node;
  }

  // The first frame is where the search for callers gave up.
  NodeId AddCut(std::initializer_list<const char*> modules, int64_t ns) {
    Frame cut = profile.frame(FrameOf(*modules.begin()));
    cut.kind = FrameKind::kTruncated;
    NodeId node = profile.Child(NodeId{1}, profile.Intern(cut));
    for (const char* module : modules) node = profile.Child(node, FrameOf(module));
    profile.values.push_back({node, ThreadId{1}, MetricId{1}, ns});
    return node;
  }

  bool IsProfiling(NodeId node) const {
    const std::vector<uint8_t> nodes = ProfilingNodes(profile);
    return !nodes.empty() && nodes[node.index()] != 0;
  }

  Profile profile;

 private:
  FrameId FrameOf(std::string_view path) {
    Frame frame;
    frame.kind = FrameKind::kNative;
    const StringId name = profile.Intern(path);
    for (size_t i = 0; i < profile.modules.size(); ++i) {
      if (profile.modules[i].path == name) frame.module = ModuleId{static_cast<uint32_t>(i + 1)};
    }
    if (!frame.module) {
      const bool ours = path.starts_with("/g/");
      profile.modules.push_back({name, {}, ours ? uint32_t{kModuleIsProfiler} : 0});
      frame.module = ModuleId{static_cast<uint32_t>(profile.modules.size())};
    }
    frame.address = ++addresses_;
    return profile.Intern(frame);
  }
  uint64_t addresses_ = 0;
};

constexpr const char *kLibc = "/lib/libc.so.6", *kTorch = "/t/libtorch_cuda.so",
                     *kRuntime = "/t/libcudart.so.13", *kDriver = "/lib/libcuda.so.1",
                     *kOurs = "/g/libgprofx-cuda.so", *kAgent = "/g/libgprofx-agent.so",
                     *kCupti = "/t/libcupti.so.13", *kNvperf = "/t/libnvperf_host.so";

}  // namespace

TEST_CASE("a call of the driver that passes through our function is the program's") {
  Stacks s;
  CHECK_FALSE(s.IsProfiling(s.Add({kTorch, kRuntime, kOurs, kDriver}, 5)));
  CHECK_FALSE(s.IsProfiling(s.Add({kTorch, kRuntime, kOurs, kDriver, kLibc}, 5)));
  CHECK(s.IsProfiling(s.Add({kTorch, kRuntime, kOurs}, 5)));
  CHECK(s.IsProfiling(s.Add({kTorch, kRuntime, kOurs, kAgent, kLibc}, 5)));
}

TEST_CASE("CUPTI and what it calls is profiling, the driver that calls it is not") {
  Stacks s;
  CHECK_FALSE(s.IsProfiling(s.Add({kTorch, kRuntime, kDriver}, 5)));
  CHECK(s.IsProfiling(s.Add({kTorch, kRuntime, kDriver, kCupti}, 5)));
  CHECK(s.IsProfiling(s.Add({kTorch, kRuntime, kDriver, kCupti, kLibc}, 5)));
  CHECK(s.IsProfiling(s.Add({kTorch, kRuntime, kDriver, kCupti, kDriver}, 5)));
  CHECK(s.IsProfiling(s.Add({kTorch, kRuntime, kDriver, kCupti, kOurs, kAgent}, 5)));
  // What the program does in a callback of its own would be its own again.
  CHECK_FALSE(s.IsProfiling(s.Add({kTorch, kDriver, kCupti, kTorch, kLibc}, 5)));
}

TEST_CASE("of threads that we or CUPTI have started all is profiling") {
  Stacks s;
  CHECK(s.IsProfiling(s.Add({kLibc, kOurs, kDriver}, 5)));
  CHECK(s.IsProfiling(s.Add({kLibc, kCupti, kNvperf, kLibc}, 5)));
  CHECK_FALSE(s.IsProfiling(s.Add({kLibc, kDriver, kLibc}, 5)));
  CHECK_FALSE(s.IsProfiling(s.Add({kLibc, kTorch}, 5)));
}

TEST_CASE("only sampled time is summed up") {
  Stacks s;
  s.Add({kTorch, kLibc}, 100);
  const NodeId ours = s.Add({kTorch, kRuntime, kOurs}, 7);
  s.profile.values.push_back({ours, ThreadId{1}, MetricId{3}, 50});
  CHECK(ProfilingTime(s.profile) == 7);
}

TEST_CASE("threads of the program begin in the agent, and where a stack is cut nothing is known of its root") {
  Stacks s;
  CHECK_FALSE(s.IsProfiling(s.Add({kLibc, kAgent, kTorch}, 5)));
  CHECK_FALSE(s.IsProfiling(s.Add({kLibc, kAgent, kDriver}, 5)));
  CHECK(s.IsProfiling(s.Add({kLibc, kAgent}, 5)));
  CHECK_FALSE(s.IsProfiling(s.AddCut({kOurs, kDriver}, 5)));
}

TEST_CASE("a program without any of it has none, and no broken file is followed") {
  Stacks s;
  s.Add({kTorch, kLibc}, 100);
  CHECK(ProfilingNodes(s.profile).empty());
  CHECK(ProfilingTime(s.profile) == 0);
  const NodeId broken = s.Add({kTorch, kOurs}, 1), whole = s.Add({kTorch, kCupti}, 1);
  s.profile.nodes[broken.index()].parent = whole;
  CHECK_FALSE(s.IsProfiling(broken));
  CHECK(s.IsProfiling(whole));
}

}  // namespace gprofx
