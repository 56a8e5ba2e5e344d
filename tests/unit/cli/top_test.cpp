// What gprof-x top makes of the samples of an interval.
#include <catch2/catch.hpp>

#include <map>

#include "cli/top/cpu_window.h"
#include "cli/top/gpu_window.h"

namespace gprofx::testing {
namespace {

FrameId Python(Profile& profile, const char* name, uint32_t line) {
  Function function;
  function.name = profile.Intern(name);
  function.file = profile.Intern("/w/model.py");
  function.first_line = 1;
  Frame frame;
  frame.kind = FrameKind::kPython;
  frame.function = profile.Intern(function);
  frame.line = line;
  return profile.Intern(frame);
}

struct Native {
  ModuleId module;
  uint64_t address;
};

FrameId Code(Profile& profile, const Native& native) {
  Frame frame;
  frame.kind = FrameKind::kNative;
  frame.module = native.module;
  frame.address = native.address;
  return profile.Intern(frame);
}

SampleRow Sample(NodeId node, uint32_t weight) {
  SampleRow row;
  row.thread = ThreadId{1};
  row.node = node;
  row.weight = weight;
  row.state = kStateGilHeld;
  return row;
}

const TopRow& RowOf(const std::vector<TopRow>& rows, const std::string& name) {
  for (const TopRow& row : rows) {
    if (row.name == name) return row;
  }
  FAIL(name);
  return rows.front();
}

struct Made {
  Profile profile;
  ModuleId module;
  NodeId walk, walk_again, code;
  Made() {
    profile.modules.push_back({profile.Intern("/lib/libwork.so"), {}, 0});
    module = ModuleId{1};
    const NodeId main = profile.Child(profile.root(), Python(profile, "main", 9));
    walk = profile.Child(main, Python(profile, "walk", 3));
    walk_again = profile.Child(walk, Python(profile, "walk", 4));
    code = profile.Child(walk_again, Code(profile, {module, 0x1008}));
  }
};

}  // namespace

TEST_CASE("a function that calls itself counts once, native code for the Python that calls it") {
  Made made;
  CpuWindow window;
  FrameKeyTable keys;
  const SampleRow rows[] = {Sample(made.walk, 10), Sample(made.walk_again, 20),
                            Sample(made.code, 70)};
  window.Take(made.profile, rows);
  window.Close(made.profile, keys);
  Snapshot shown;
  const std::vector<FrameId> unnamed = window.Build(made.profile, keys, shown);
  CHECK(unnamed.size() == 1);
  CHECK(shown.cpu_ns == 100);
  CHECK(shown.python_ns == 100);
  CHECK(shown.gil_ns == 100);
  CHECK(shown.unnamed_ns == 70);
  CHECK(RowOf(shown.functions, "walk").self == 100);
  CHECK(RowOf(shown.functions, "walk").total == 100);
  CHECK(RowOf(shown.functions, "main").self == 0);
  CHECK(shown.lines.size() == 3);
  CHECK(RowOf(shown.native, "[libwork.so]").self == 70);
  CHECK(RowOf(shown.native, "[Python code]").self == 30);

  // The names come later, by neighbours on the grid.
  keys.AddNames(made.profile, made.module,
                {{0x1000, {{"work", "", 0, "", 0}}}, {0x1010, {{"work", "", 0, "", 0}}}});
  CHECK(window.Build(made.profile, keys, shown).empty());
  CHECK(RowOf(shown.native, "work").self == 70);
  CHECK(shown.unnamed_ns == 0);

  // Sums since the start go on; the interval is the new one.
  window.Take(made.profile, rows);
  window.Close(made.profile, keys);
  window.Build(made.profile, keys, shown);
  CHECK(RowOf(shown.native, "work").self == 70);
  CHECK(RowOf(shown.native, "work").self_since_start == 140);
}

TEST_CASE("between neighbours of two names a native function has neither") {
  Made made;
  FrameKeyTable keys;
  const FrameId frame = Code(made.profile, {made.module, 0x1008});
  keys.AddNames(made.profile, made.module,
                {{0x1000, {{"work", "", 0, "", 0}}}, {0x1010, {{"rest", "", 0, "", 0}}}});
  CHECK(keys.Of(made.profile, frame).unnamed);
  keys.Asked(made.profile, {frame});
  CHECK_FALSE(keys.Of(made.profile, frame).unnamed);
}

TEST_CASE("what profiling takes is in no row of a live table") {
  Made made;
  CpuWindow window;
  FrameKeyTable keys;
  made.profile.modules.push_back({made.profile.Intern("/opt/libcupti.so.13"), {}, 0});
  const NodeId cupti = made.profile.Child(made.walk, Code(made.profile, {ModuleId{2}, 0x20}));
  const SampleRow rows[] = {Sample(made.walk, 10), Sample(cupti, 90)};
  window.Take(made.profile, rows);
  window.Close(made.profile, keys);
  Snapshot shown;
  window.Build(made.profile, keys, shown);
  CHECK(shown.cpu_ns == 10);
  CHECK(shown.samples == 1);
  CHECK(shown.profiling_ns == 90);
  CHECK(RowOf(shown.functions, "walk").self == 10);
}

TEST_CASE("a focus keeps stacks, whatever frame of them has it") {
  Made made;
  CpuWindow window;
  FrameKeyTable keys;
  const NodeId other = made.profile.Child(made.profile.root(), Python(made.profile, "other", 5));
  const SampleRow rows[] = {Sample(made.code, 30), Sample(other, 70)};
  window.Take(made.profile, rows);
  window.Close(made.profile, keys);
  Snapshot shown;
  shown.focus = "WALK";
  window.Build(made.profile, keys, shown);
  CHECK(shown.cpu_ns == 100);
  CHECK(shown.focus_ns == 30);
  CHECK(RowOf(shown.functions, "main").total == 30);
  for (const TopRow& row : shown.functions) CHECK(row.name != "other");
}

TEST_CASE("of the driver's calls those that wait keep a GPU idle, and a full queue does") {
  Profile profile;
  const auto frame = [&](FrameKind kind, const char* name) {
    Function function;
    function.name = profile.Intern(name);
    Frame made;
    made.kind = kind;
    made.function = profile.Intern(function);
    return profile.Intern(made);
  };
  const NodeId call = profile.Child(profile.root(), frame(FrameKind::kNative, "main"));
  const NodeId wait = profile.Child(call, frame(FrameKind::kCudaApi, "cuStreamSynchronize"));
  const NodeId kernel = profile.Child(call, frame(FrameKind::kGpuKernel, "add"));
  constexpr int64_t kMs = 1'000'000;
  EventTable kernels(Stream::kKernels), calls(Stream::kCalls), overheads(Stream::kOverheads);
  KernelEvent work;
  work.start = 0;
  work.duration = 400 * kMs;
  work.node = kernel;
  kernels.Append(work);
  work.start = 900 * kMs;
  work.duration = 100 * kMs;
  kernels.Append(work);
  const StringId name = profile.Intern("cuMemAlloc");
  calls.Append(CallEvent{400 * kMs, 300 * kMs, {}, call, name});  // waits for nobody
  calls.Append(CallEvent{700 * kMs, 100 * kMs, {}, wait, profile.Intern("cuStreamSynchronize")});
  OverheadEvent full;
  full.start = 800 * kMs;
  full.duration = 100 * kMs;
  full.kind = 6 << 16;
  overheads.Append(full);
  GpuWindow window;
  for (const EventTable* rows : {&kernels, &calls, &overheads}) window.Take(profile, *rows);
  Snapshot shown;
  window.Finish(profile, 1000 * kMs, shown);
  REQUIRE(shown.gpu.has_value());
  CHECK(shown.gpu->busy_ns == 500 * kMs);
  std::map<std::string, int64_t> idle;
  for (const TopShare& part : shown.gpu->idle) idle[part.what] = part.ns;
  CHECK(idle == std::map<std::string, int64_t>{{"unexplained", 300 * kMs},
                                               {"in cuStreamSynchronize", 100 * kMs},
                                               {"launch queue full", 100 * kMs}});
}

}  // namespace gprofx::testing
