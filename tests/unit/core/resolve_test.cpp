#include "core/model/resolve.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <utility>

#include "core/model/totals.h"
#include "tests/unit/core/random_profile.h"

namespace gprofx {
namespace {

using Sums = std::map<std::pair<uint32_t, uint32_t>, int64_t>;

Sums SumsByThreadAndMetric(const Profile& profile) {
  Sums sums;
  for (const Value& value : profile.values) {
    sums[{value.thread.value, value.metric.value}] += value.self;
  }
  return sums;
}

FrameId Native(Profile& profile, uint64_t address) {
  Frame frame;
  frame.kind = FrameKind::kNative;
  frame.module = ModuleId{1};
  frame.address = address;
  return profile.Intern(frame);
}

Profile OneModule() {
  Profile profile;
  profile.processes.emplace_back();
  profile.threads.push_back({ProcessId{1}});
  profile.modules.push_back({profile.Intern("/lib/m")});
  profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  return profile;
}

TEST_CASE("sums_agree: resolving changes no sum of any thread and metric") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Profile raw = test::RandomProfile(seed, 1 + seed * 7);
    const Resolved resolved = Resolve(raw, test::RandomNames(raw));
    REQUIRE(SumsByThreadAndMetric(raw) == SumsByThreadAndMetric(resolved.profile));
    REQUIRE(resolved.node_of.size() == raw.nodes.size());
    REQUIRE(resolved.node_of[0] == resolved.profile.root());
    for (size_t i = 1; i < resolved.profile.nodes.size(); ++i) {
      REQUIRE(resolved.profile.nodes[i].parent.value >= 1);
      REQUIRE(resolved.profile.nodes[i].parent.value <= i);
    }
    for (size_t i = 1; i < raw.nodes.size(); ++i) {  // ancestors stay ancestors
      NodeId at = resolved.node_of[i];
      NodeId parent = resolved.node_of[raw.nodes[i].parent.index()];
      const Profile& profile = resolved.profile;
      while (raw.frame(raw.nodes[i].frame).kind == FrameKind::kPython && parent.value > 1 &&
             profile.frame(profile.node(parent).frame).kind == FrameKind::kInlined) {
        parent = profile.node(parent).parent;  // Python frames belong to the physical one
      }
      REQUIRE(at.value > parent.value);
      while (at.value > parent.value) at = resolved.profile.node(at).parent;
      REQUIRE(at == parent);
    }
  }
}

TEST_CASE("resolving is deterministic and resolving again changes nothing") {
  const Profile raw = test::RandomProfile(9, 2000);
  const Resolved once = Resolve(raw, test::RandomNames(raw));
  const Resolved again = Resolve(once.profile, {});
  CHECK(again.profile.nodes == once.profile.nodes);
  CHECK(again.profile.frames == once.profile.frames);
  CHECK(again.profile.meta == raw.meta);
  CHECK(again.profile.quality == raw.quality);
}

TEST_CASE("addresses of one source line become one frame") {
  Profile raw = OneModule();
  const NodeId a = raw.Child(raw.root(), Native(raw, 0x10));
  const NodeId b = raw.Child(raw.root(), Native(raw, 0x14));
  const NodeId c = raw.Child(raw.root(), Native(raw, 0x18));
  ModuleNames names;
  names[0x10] = names[0x14] = {{"f", "f.cpp", 7, "f.cpp", 3}};
  names[0x18] = {{"f", "f.cpp", 8, "f.cpp", 3}};
  const Resolved resolved = Resolve(raw, {names});
  CHECK(resolved.node_of[a.index()] == resolved.node_of[b.index()]);
  CHECK(resolved.node_of[a.index()] != resolved.node_of[c.index()]);
  const Profile& profile = resolved.profile;
  const Frame& frame = profile.frame(profile.node(resolved.node_of[a.index()]).frame);
  CHECK(profile.Text(profile.function(frame.function).name) == "f");
  CHECK(profile.Text(profile.function(frame.function).file) == "f.cpp");
  CHECK(profile.function(frame.function).first_line == 3);
  CHECK_FALSE(frame.file);  // the function's own
  CHECK(frame.line == 7);
  CHECK(frame.address == 0);
  CHECK(profile.functions.size() == 1);
}

TEST_CASE("inlined functions are children and the innermost has the value") {
  Profile raw = OneModule();
  const NodeId node = raw.Child(raw.root(), Native(raw, 0x10));
  raw.AddSelf(node, ThreadId{1}, MetricId{1}, 100);
  ModuleNames names;
  names[0x10] = {{"outer", "a.cpp", 1, "", 0}, {"inner", "a.h", 2, "", 0}};
  const Resolved resolved = Resolve(raw, {names});
  const Profile& profile = resolved.profile;
  REQUIRE(profile.nodes.size() == 3);
  const NodeId inner = resolved.node_of[node.index()];
  const NodeId outer = profile.node(inner).parent;
  CHECK(profile.frame(profile.node(inner).frame).kind == FrameKind::kInlined);
  CHECK(profile.frame(profile.node(outer).frame).kind == FrameKind::kNative);
  CHECK(profile.Text(profile.frame(profile.node(inner).frame).file) == "a.h");
  REQUIRE(profile.values.size() == 1);
  CHECK(profile.values[0].node == inner);
  CHECK(profile.values[0].self == 100);
}

// The tree as text: frames by name, nodes without a value of their own or below them left out.
std::string Outline(const Profile& profile) {
  std::vector<std::string> path(profile.nodes.size());
  std::map<std::string, int64_t> self;
  for (size_t i = 1; i < profile.nodes.size(); ++i) {
    const Frame& frame = profile.frame(profile.nodes[i].frame);
    const FunctionId function = frame.function;
    path[i] = path[profile.nodes[i].parent.index()] + "/" +
              std::string(function ? profile.Text(profile.function(function).name) : "?");
  }
  for (const Value& value : profile.values) self[path[value.node.index()]] += value.self;
  std::string text;
  for (const auto& [where, ns] : self) text += where + " " + std::to_string(ns) + "\n";
  return text;
}

TEST_CASE("a Python frame is run by the physical frame, not by what is inlined at its call") {
  Profile raw = OneModule();
  const auto python = [&](const char* name) {
    Function function;
    function.name = raw.Intern(name);
    Frame frame;
    frame.kind = FrameKind::kPython;
    frame.function = raw.Intern(function);
    return raw.Intern(frame);
  };
  // The same call in f from two addresses of the evaluation loop, a helper inlined at one of them.
  for (const uint64_t address : {0x10, 0x20}) {
    const NodeId eval = raw.Child(raw.root(), Native(raw, address));
    const NodeId f = raw.Child(eval, python("f"));
    raw.AddSelf(f, ThreadId{1}, MetricId{1}, 1);
    const NodeId g = raw.Child(raw.Child(f, Native(raw, 0x10)), python("g"));
    raw.AddSelf(g, ThreadId{1}, MetricId{1}, 10);
  }
  ModuleNames stripped, debug;
  const SourceFrame eval{"eval", "", 0, "", 0};
  stripped[0x10] = stripped[0x20] = debug[0x20] = {eval};
  debug[0x10] = {eval, {"Py_INCREF", "object.h", 5, "", 0}, {"helper", "object.h", 6, "", 0}};
  const Profile resolved = Resolve(raw, {debug}).profile;
  CHECK(Outline(resolved) == "/eval/f 2\n/eval/f/eval/g 20\n");
  CHECK(Outline(resolved) == Outline(Resolve(raw, {stripped}).profile));
  // Where nothing else hangs below them, the inlined functions make no nodes.
  CHECK(resolved.nodes.size() == 5);

  // Time of the native frame itself stays with the innermost function.
  raw.AddSelf(raw.Child(raw.root(), Native(raw, 0x10)), ThreadId{1}, MetricId{1}, 100);
  CHECK(Outline(Resolve(raw, {debug}).profile) ==
        "/eval/Py_INCREF/helper 100\n/eval/f 2\n/eval/f/eval/g 20\n");
}

TEST_CASE("recursion stays recursion") {
  Profile raw = OneModule();
  NodeId node = raw.root();
  ModuleNames names;
  for (uint64_t depth = 0; depth < 5; ++depth) {
    node = raw.Child(node, Native(raw, depth));
    names[depth] = {{"f", "", 1, "", 0}};
  }
  CHECK(Resolve(raw, {names}).profile.nodes.size() == 6);
}

TEST_CASE("Python frames merge by function and line") {
  Profile raw = OneModule();
  Function function;
  function.name = raw.Intern("f");
  Frame frame;
  frame.kind = FrameKind::kPython;
  frame.function = raw.Intern(function);
  frame.line = 3;
  for (frame.address = 0; frame.address < 10; frame.address += 2) {
    raw.Child(raw.root(), raw.Intern(frame));
  }
  const Resolved resolved = Resolve(raw, {});
  REQUIRE(resolved.profile.nodes.size() == 2);
  CHECK(resolved.profile.frames[1].address == 0);
  CHECK(resolved.profile.frames[1].line == 3);
}

TEST_CASE("nameless addresses: hot ones keep the address, cold ones merge") {
  Profile raw = OneModule();
  const NodeId hot = raw.Child(raw.root(), Native(raw, 0xabc));
  raw.AddSelf(hot, ThreadId{1}, MetricId{1}, 1000000);
  for (uint64_t address = 0; address < 500; ++address) {
    const NodeId cold = raw.Child(raw.root(), Native(raw, 0x1000 + address));
    raw.AddSelf(cold, ThreadId{1}, MetricId{1}, 10);
  }
  raw.AddMetric("wall", "ns", MetricKind::kSampled);  // without any value: judges nothing
  const Resolved resolved = Resolve(raw, {});
  REQUIRE(resolved.profile.nodes.size() == 3);
  const Profile& profile = resolved.profile;
  CHECK(profile.frame(profile.node(resolved.node_of[hot.index()]).frame).address == 0xabc);
  CHECK(profile.frame(profile.node(resolved.node_of.back()).frame).address == 0);
  CHECK(SumsByThreadAndMetric(raw) == SumsByThreadAndMetric(profile));
}

TEST_CASE("all rows but frames, nodes and values keep their ids") {
  const Profile raw = test::RandomProfile(21, 3000);
  const Profile resolved = Resolve(raw, test::RandomNames(raw)).profile;
  REQUIRE(resolved.string_count() > raw.string_count());  // the names
  for (uint32_t id = 1; id <= raw.string_count(); ++id) {
    REQUIRE(resolved.Text(StringId{id}) == raw.Text(StringId{id}));
  }
  REQUIRE(resolved.functions.size() > raw.functions.size());
  CHECK(std::equal(raw.functions.begin(), raw.functions.end(), resolved.functions.begin()));
  CHECK(resolved.processes == raw.processes);
  CHECK(resolved.threads == raw.threads);
  CHECK(resolved.modules == raw.modules);
  CHECK(resolved.ranges == raw.ranges);
}

TEST_CASE("what belongs to the GPU passes unchanged, beside native frames that are resolved") {
  Profile raw = OneModule();
  const MetricId gpu = raw.AddMetric("gpu", "ns", MetricKind::kExact);
  const auto frame = [&](FrameKind kind, const char* name, uint64_t address) {
    Function function;
    function.name = raw.Intern(name);
    Frame row;
    row.kind = kind;
    row.function = *name ? raw.Intern(function) : FunctionId{};
    row.file = raw.Intern("k.cu");
    row.line = 4;
    row.address = address;
    return raw.Intern(row);
  };
  const NodeId launch = raw.Child(raw.root(), Native(raw, 0x10));
  std::vector<FrameId> chain;
  for (const FrameKind kind :
       {FrameKind::kCudaApi, FrameKind::kMarker, FrameKind::kGpuKernel, FrameKind::kInlined,
        FrameKind::kGpuInstruction, FrameKind::kGpuCopy}) {
    chain.push_back(frame(kind, "named", 0x20));
    chain.push_back(frame(kind, "", 0x30));  // cold and without a name
  }
  NodeId node = launch;
  for (const FrameId id : chain) node = raw.Child(node, id);
  raw.AddSelf(node, ThreadId{1}, gpu, 3);
  raw.AddSelf(launch, ThreadId{1}, MetricId{1}, 1000000);
  raw.gpu.devices.push_back({raw.Intern("H200")});
  raw.gpu.configs.push_back({raw.frame(chain[4]).function});
  raw.gpu.cubins.push_back({7, std::vector<std::byte>(3)});
  raw.gpu.wall.push_back({"gpu.compute", 3});
  raw.sources.push_back({"host", 3});
  ModuleNames names;
  names[0x10] = {{"outer", "a.cpp", 1, "", 0}, {"inner", "a.h", 2, "", 0}};
  const Resolved resolved = Resolve(raw, {names});
  const Profile& profile = resolved.profile;
  NodeId at = resolved.node_of[node.index()];
  for (size_t i = chain.size(); i-- > 0; at = profile.node(at).parent) {
    CHECK(profile.frame(profile.node(at).frame) == raw.frame(chain[i]));
  }
  CHECK(at == resolved.node_of[launch.index()]);
  CHECK(profile.values.size() == 2);
  CHECK(SumsByThreadAndMetric(raw) == SumsByThreadAndMetric(profile));
  CHECK(profile.gpu.devices == raw.gpu.devices);
  REQUIRE(profile.gpu.configs == raw.gpu.configs);
  CHECK(profile.Text(profile.function(profile.gpu.configs[0].function).name) == "named");
  CHECK(profile.gpu.cubins == raw.gpu.cubins);
  CHECK(profile.gpu.wall == raw.gpu.wall);
  CHECK(profile.sources == raw.sources);
}

TEST_CASE("inclusive_value_of_root_is_the_sum_of_self") {
  const Profile profile = test::RandomProfile(5, 3000);
  const MetricId cpu = profile.FindMetric("cpu");
  const std::vector<int64_t> self = SelfByNode(profile, cpu);
  int64_t sum = 0, threads = 0;
  for (const int64_t value : self) sum += value;
  for (uint32_t i = 1; i <= profile.threads.size(); ++i) {
    threads += InclusiveByNode(profile, SelfByNode(profile, cpu, ThreadId{i}))[0];
  }
  CHECK(sum > 0);
  CHECK(InclusiveByNode(profile, self)[0] == sum);
  CHECK(threads == sum);
}

}  // namespace
}  // namespace gprofx
