#include "core/cost/profiling_time.h"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

  bool IsProfiling(NodeId node) const { return ProfilingStacks(profile).Is(node); }

  int64_t Sum(std::string_view metric) const {
    int64_t sum = 0;
    for (const Value& value : profile.values)
      sum += value.metric == profile.FindMetric(metric) ? value.self : 0;
    return sum;
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

TEST_CASE("code that lies in no file is whose it is that calls it") {
  Stacks stacks;
  const auto below = [&](NodeId caller) {
    Frame frame;
    frame.kind = FrameKind::kUnknown;
    frame.address = 0x1000;
    return stacks.profile.Child(caller, stacks.profile.Intern(frame));
  };
  CHECK(stacks.IsProfiling(below(stacks.Add({kTorch, kOurs, kCupti}, 1))));
  CHECK_FALSE(stacks.IsProfiling(below(stacks.Add({kTorch, kRuntime}, 1))));
  CHECK_FALSE(stacks.IsProfiling(below(stacks.Add({kTorch, kOurs, kDriver}, 1))));
}

TEST_CASE("of threads that we or CUPTI have started all is profiling") {
  Stacks s;
  CHECK(s.IsProfiling(s.Add({kLibc, kOurs, kDriver}, 5)));
  CHECK(s.IsProfiling(s.Add({kLibc, kCupti, kNvperf, kLibc}, 5)));
  CHECK_FALSE(s.IsProfiling(s.Add({kLibc, kDriver, kLibc}, 5)));
  CHECK_FALSE(s.IsProfiling(s.Add({kLibc, kTorch}, 5)));
}

TEST_CASE("where a thread waits by the wall clock, and a layer, are whose they are below") {
  Stacks s;
  const auto below = [&](NodeId node, FrameKind kind) {
    Frame frame;
    frame.kind = kind;
    return s.profile.Child(node, s.profile.Intern(frame));
  };
  const NodeId ours = s.Add({kLibc, kOurs, kLibc}, 5), torch = s.Add({kLibc, kTorch, kLibc}, 5);
  CHECK(s.IsProfiling(below(ours, FrameKind::kIdle)));
  CHECK_FALSE(s.IsProfiling(below(torch, FrameKind::kIdle)));
  CHECK_FALSE(s.IsProfiling(below(torch, FrameKind::kLayer)));
}

TEST_CASE("samples of profiling are left out and counted, what is exact stays") {
  Stacks s;
  const NodeId torch = s.Add({kTorch, kLibc}, 100), ours = s.Add({kTorch, kRuntime, kOurs}, 25);
  s.profile.values.push_back({ours, ThreadId{1}, MetricId{3}, 50});
  TakeOutProfiling(s.profile);
  CHECK(s.profile.quality["profiling_ns"] == 25);
  CHECK(IsLeftOut(s.profile, ours, ThreadId{1}));
  CHECK_FALSE(IsLeftOut(s.profile, torch, ThreadId{1}));
  CHECK_FALSE(IsLeftOut(s.profile, NodeId{}, ThreadId{1}));
  REQUIRE(s.profile.values.size() == 3);
  CHECK(s.Sum("cpu") == 100);
  CHECK(s.Sum("samples") == 1);
  CHECK(s.Sum("gpu") == 50);
  CHECK(s.profile.quality["cpu_accounted_ns"] == 125);  // what is told of the data is told of all
  CHECK(s.profile.quality["samples"] == 2);
}

TEST_CASE("of a part of the recording the same is left out, from the timeline too") {
  Stacks s;
  const NodeId torch = s.Add({kTorch}, 100), ours = s.Add({kTorch, kOurs}, 25);
  TakeOutProfiling(s.profile);
  std::vector<Value> part = {{ours, ThreadId{1}, MetricId{1}, 5},
                             {torch, ThreadId{1}, MetricId{1}, 7}};
  TakeLeftOut(s.profile, part);
  REQUIRE(part.size() == 1);
  CHECK(part[0].node == torch);
  std::vector<SampleRow> seen;
  const auto sink = WithoutLeftOut(s.profile, [&](std::span<const SampleRow> rows) {
    seen.insert(seen.end(), rows.begin(), rows.end());
  });
  const SampleRow rows[] = {
      {1, ThreadId{1}, ours, 5, 0}, {2, ThreadId{1}, torch, 7, 0}, {3, ThreadId{1}, {}, 1, 0}};
  sink(rows);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].time == 2);
  CHECK(seen[1].time == 3);
}

TEST_CASE("so is what a process took in which we start, and all of a thread of ours") {
  Stacks s;
  s.profile.threads.resize(2);
  s.profile.threads[1].name = s.profile.Intern("gprofx-gpu");
  const auto add = [&](const char* what, uint32_t thread, int64_t ns) {
    Frame frame;
    frame.kind = FrameKind::kProcess;
    frame.function = s.profile.Intern(Function{.name = s.profile.Intern(what)});
    const NodeId node = s.profile.Child(s.profile.root(), s.profile.Intern(frame));
    s.profile.values.push_back({node, ThreadId{thread}, MetricId{1}, ns});
  };
  add("[gprof-x]", 1, 3);
  add("[exec and loading]", 1, 50);
  add("[too short to be sampled]", 2, 7);
  TakeOutProfiling(s.profile);
  CHECK(s.Sum("cpu") == 50);
  CHECK(s.profile.quality["profiling_ns"] == 10);
}

TEST_CASE("threads of ours are none of the program's") {
  Stacks s;
  s.profile.threads.resize(5);
  s.profile.threads[3].name = s.profile.Intern("gprofx-gpu");
  s.Add({kTorch}, 100);
  s.Add({kTorch, kOurs}, 25);
  const NodeId cupti = s.Add({kLibc, kCupti}, 0);
  s.profile.values.push_back({cupti, ThreadId{2}, MetricId{1}, 50});
  s.profile.values.push_back({cupti, ThreadId{3}, MetricId{1}, 50});
  s.profile.values.push_back(
      {s.Add({kTorch}, 0), ThreadId{3}, MetricId{3}, 7});  // it launched that
  // A short one whose only sample was in our code is the program's.
  s.profile.values.push_back({s.Add({kLibc, kAgent}, 0), ThreadId{5}, MetricId{1}, 9});
  TakeOutProfiling(s.profile);
  const auto& threads = s.profile.left_out.threads;
  REQUIRE(threads.size() == 5);
  CHECK(threads[0].ns == 25);
  CHECK(threads[1].ns == 50);
  const bool whole[] = {false, true, false, true, false};
  for (uint32_t i = 0; i < 5; ++i) CHECK(IsLeftOut(s.profile, ThreadId{i + 1}) == whole[i]);
}

TEST_CASE("time with the interpreter's lock goes with the samples of profiling") {
  Stacks s;
  s.Add({kTorch}, 300);
  const NodeId ours = s.Add({kTorch, kOurs}, 100);
  const MetricId held = s.profile.AddMetric("cpu_gil", "ns", MetricKind::kSampled);
  s.profile.values.push_back({s.profile.root(), ThreadId{1}, held, 120});
  s.profile.values.push_back({ours, ThreadId{1}, held, 70});
  TakeOutProfiling(s.profile);
  CHECK(s.Sum("cpu_gil") == 120);
}

TEST_CASE("where all frames are shown profiling is told, and stays") {
  Stacks s;
  s.Add({kTorch}, 300);
  s.Add({kTorch, kOurs}, 100);
  TakeOutProfiling(s.profile, Profiling::kShown);
  CHECK(s.profile.quality["profiling_ns"] == 100);
  CHECK(s.Sum("cpu") == 400);
  CHECK(s.profile.left_out.nodes.empty());
}

TEST_CASE("a trace of another tool keeps what is in CUPTI") {
  Stacks s;
  s.Add({kTorch, kDriver, kCupti}, 100);
  s.profile.meta["imported_from"] = "perf script";
  TakeOutProfiling(s.profile);
  CHECK(s.Sum("cpu") == 100);
  CHECK(s.profile.left_out.nodes.empty());
}

TEST_CASE("beside a recording it keeps it, too") {
  Stacks s;
  const NodeId cupti = s.Add({kTorch, kDriver, kCupti}, 100);  // of thread 1
  s.profile.values.push_back({cupti, ThreadId{2}, MetricId{1}, 7});
  s.profile.sources.resize(2);
  s.profile.sources[1].meta["imported_from"] = "perf script";
  s.profile.processes.resize(2);
  s.profile.processes[1].source = SourceId{2};
  s.profile.threads = {{.process = ProcessId{1}}, {.process = ProcessId{2}}};
  TakeOutProfiling(s.profile);
  CHECK(s.Sum("cpu") == 7);
  CHECK(s.profile.quality["profiling_ns"] == 100);
}

TEST_CASE(
    "threads of the program begin in the agent, and where a stack is cut nothing is known of its "
    "root") {
  Stacks s;
  CHECK_FALSE(s.IsProfiling(s.Add({kLibc, kAgent, kTorch}, 5)));
  CHECK_FALSE(s.IsProfiling(s.Add({kLibc, kAgent, kDriver}, 5)));
  CHECK(s.IsProfiling(s.Add({kLibc, kAgent}, 5)));
  CHECK_FALSE(s.IsProfiling(s.AddCut({kOurs, kDriver}, 5)));
}

TEST_CASE("a program without any of it has none, and no broken file is followed") {
  Stacks s;
  s.Add({kTorch, kLibc}, 100);
  TakeOutProfiling(s.profile);
  CHECK(s.profile.left_out.nodes.empty());
  CHECK_FALSE(s.profile.quality.contains("profiling_ns"));
  const NodeId broken = s.Add({kTorch, kLibc}, 1), whole = s.Add({kTorch, kCupti}, 1);
  s.profile.nodes[broken.index()].parent = whole;
  CHECK_FALSE(s.IsProfiling(broken));
  CHECK(s.IsProfiling(whole));
}

}  // namespace gprofx
