// The tables of a profile made by hand, and what they say of one that has nothing.
#include "core/analyses/analyses.h"

#include <catch2/catch.hpp>

#include "core/analyses/parts.h"
#include "core/analyses/runs.h"
#include "core/analyses/work.h"
#include "model_profile.h"

namespace gprofx::testing {
using namespace gprofx::analyses;
namespace {

Analysis Make(const ModelMaker& make, const char* name) {
  return MakeAnalysis(*FindAnalysis(name), AnalysisContext(make.profile, make.work, "run"));
}

int64_t Number(const Analysis& analysis, size_t row, const std::string& column) {
  for (size_t i = 0; i < analysis.columns.size(); ++i) {
    if (analysis.columns[i].id == column) return std::get<int64_t>(analysis.rows.at(row)[i]);
  }
  throw std::runtime_error("no column " + column);
}

double Part(const AnalysisCell& cell) { return std::get<double>(cell); }

}  // namespace

TEST_CASE("there are fifteen analyses, found by either case") {
  REQUIRE(AnalysisKinds().size() == 15);
  for (const AnalysisKind& kind : AnalysisKinds()) CHECK(FindAnalysis(kind.name) == &kind);
  CHECK(FindAnalysis("a7") == FindAnalysis("A7"));
  CHECK(FindAnalysis("A16") == nullptr);
}

TEST_CASE("an empty profile: each analysis is empty with its reason") {
  const Profile profile;
  const GpuWorkEvents work;
  const AnalysisContext context(profile, work, "run");
  for (const AnalysisKind& kind : AnalysisKinds()) {
    const Analysis analysis = MakeAnalysis(kind, context);
    INFO(kind.name);
    CHECK(analysis.rows.empty());
    CHECK_FALSE(analysis.reason.empty());
    CHECK_FALSE(analysis.columns.empty());
  }
}

TEST_CASE("kernels by name: count, sum, mean, median, p95") {
  ModelMaker make;
  const NodeId fast = make.Node({{make.Kernel("fast")}}), slow = make.Node({{make.Kernel("slow")}});
  for (int64_t ns = 1; ns <= 20; ++ns) make.Run(fast, ns);
  make.Run(slow, 1000);
  const Analysis table = Make(make, "A10");
  REQUIRE(table.rows.size() == 2);
  CHECK(std::get<std::string>(table.rows[0][0]) == "slow");
  CHECK(Number(table, 1, "count") == 20);
  CHECK(Number(table, 1, "gpu_ns") == 210);
  CHECK(Number(table, 1, "mean_ns") == 10);
  CHECK(Number(table, 1, "median_ns") == 11);
  CHECK(Number(table, 1, "p95_ns") == 19);
}

TEST_CASE("what the training loop itself asks for is known by its line, broken stacks are not") {
  const auto note = [](bool whole, std::string_view file) {
    ModelMaker make;
    const FrameId top = make.Python("<module>", "/home/ada/train.py", 1);
    make.Run(make.Node({make.Module(top, "Net"), make.Op("mm", "gemm")}), 900);
    const FrameId begin = make.Python(whole ? "<module>" : "main", file, 12);
    const FrameId inner =
        make.Python("mse_loss", "/opt/site-packages/torch/nn/functional.py", 3000);
    make.Run(make.Node({{begin, inner}, make.Op("mse_loss", "loss")}), 100);
    const Analysis table = Make(make, "A3");
    for (const std::string& text : table.notes) {
      if (text.find("lies in layers") != text.npos) return text;
    }
    return std::string();
  };
  CHECK(note(true, "/home/ada/train.py") ==
        "90.0% of the GPU time lies in layers, 10.0% outside of modules (largest share at "
        "train.py:12)");
  const char* unknown =
      "90.0% of the GPU time lies in layers, 10.0% elsewhere (degraded: below 95%)";
  CHECK(note(false, "/home/ada/train.py") == unknown);
  CHECK(note(true, "/opt/site-packages/ignite/engine.py") == unknown);
}

TEST_CASE("time of a layer is per step, and of the whole where there are no steps") {
  ModelMaker make;
  const auto net = make.Module(make.Python("<module>", "/home/ada/train.py", 1), "Net");
  const NodeId node = make.Node({net, make.Op("mm", "gemm")});
  for (int i = 0; i < 4; ++i) make.Run(node, 100);
  CHECK(Number(Make(make, "A3"), 0, "gpu_ns") == 400);
  StepTrain train;
  train.process = ProcessId{1};
  for (int64_t i = 0; i < 4; ++i) train.steps.push_back({1000 + i * 120, 1120 + i * 120});
  make.profile.phases.trains.push_back(train);
  CHECK(Number(Make(make, "A3"), 0, "gpu_ns") == 100);
  const Analysis steps = Make(make, "A1");
  REQUIRE(steps.rows.size() == 1);
  CHECK(Number(steps, 0, "steps") == 4);
  CHECK(Number(steps, 0, "step_ns") == 120);
}

TEST_CASE("GPU busy counts overlaps once, and layers with the layers in them") {
  ModelMaker make;
  const FrameId outer = make.Span("nn.Module: A_0"), inner = make.Span("nn.Module: B_0");
  make.Run(make.Node({{outer, make.Kernel("k")}}), 100);
  make.Run(make.Node({{outer, inner, make.Kernel("k")}}), 100);
  make.work.operations[1].start = make.work.operations[0].start + 50;
  make.work.operations[1].end = make.work.operations[1].start + 100;
  const AnalysisContext context(make.profile, make.work, "run");
  const auto busy = BusyByLayer(context);
  CHECK(busy.at(0) == 150);
  CHECK(busy.at(1) == 150);
  CHECK(busy.at(2) == 100);
}

namespace {

// A run of steps of these lengths, in ms.
Analysis ModelOf(const std::string& label, const std::vector<int64_t>& steps) {
  ModelMaker make;
  StepTrain train{ProcessId{1}, StepSource::kMarkers, 0, {}};
  HostNs now = 0;
  for (const int64_t ms : steps) {
    train.steps.push_back({now, now + ms * 1'000'000});
    now = train.steps.back().end;
  }
  make.profile.phases.trains.push_back(train);
  return MakeAnalysis(*FindAnalysis("A1"), AnalysisContext(make.profile, make.work, label));
}

}  // namespace

TEST_CASE("a step of a host that runs ahead is the mean of all") {
  std::vector<int64_t> steps;
  for (int i = 0; i < 80; ++i) steps.push_back(i % 8 == 7 ? 130 : 10);
  CHECK(Number(ModelOf("run", steps), 0, "step_ns") == 25'000'000);
  CHECK(Number(ModelOf("run", {10, 10, 10, 10, 10, 10, 10, 10, 10, 11}), 0, "step_ns") ==
        10'000'000);
}

TEST_CASE("a sweep over sizes has a knee") {
  std::vector<std::vector<Analysis>> runs;
  for (const auto& [label, ms] : std::vector<std::pair<std::string, int64_t>>{
           {"BS=16", 160}, {"BS=1", 20}, {"BS=8", 81}, {"BS=2", 24}}) {
    runs.push_back({ModelOf(label, std::vector<int64_t>(10, ms))});
  }
  const Analysis joined = JoinRuns(std::move(runs))[0];
  REQUIRE(joined.rows.size() == 4);
  CHECK(Part(joined.rows[0].back()) == Approx(100));
  CHECK(Part(joined.rows[1].back()) == Approx(50));
  CHECK(joined.notes.back() == "knee: BS=8, the smallest within 5% of the most items/s");
  CHECK(std::holds_alternative<std::monostate>(ModelOf("mode=fast", {10, 10}).rows[0].back()));
}

TEST_CASE("theoretical occupancy by the limits of a multiprocessor") {
  GpuDevice hopper;
  hopper.compute_major = 9;
  GpuKernelConfig config;
  config.block[0] = 256;
  config.block[1] = config.block[2] = 1;
  config.registers = 32;
  CHECK(Part(TheoreticalOccupancy(hopper, config)) == 1);
  config.registers = 64;  // 1,024 threads
  CHECK(Part(TheoreticalOccupancy(hopper, config)) == 0.5);
  config.registers = 32;
  config.dynamic_shared = 100 * 1024;  // two blocks
  CHECK(Part(TheoreticalOccupancy(hopper, config)) == 0.25);
  config.dynamic_shared = 0;
  config.block[0] = 32;  // 32 blocks of one warp
  CHECK(Part(TheoreticalOccupancy(hopper, config)) == 0.5);
  CHECK(std::holds_alternative<std::monostate>(TheoreticalOccupancy(GpuDevice{}, config)));
  config.registers = 0;
  CHECK(std::holds_alternative<std::monostate>(TheoreticalOccupancy(hopper, config)));
}

TEST_CASE("peaks are of known devices and types only") {
  REQUIRE(PeaksOf("NVIDIA H100 80GB HBM3", "bf16"));
  CHECK(PeaksOf("NVIDIA H100 80GB HBM3", "bf16")->flop_per_s == Approx(989.4e12));
  CHECK_FALSE(PeaksOf("NVIDIA H100 80GB HBM3", "i8"));
  CHECK(PeaksOf("NVIDIA L40S", "bf16")->flop_per_s == Approx(362e12));
  CHECK(PeaksOf("NVIDIA L4", "bf16")->flop_per_s == Approx(121e12));
  CHECK_FALSE(PeaksOf("NVIDIA L40", "bf16"));
  CHECK_FALSE(PeaksOf("Tesla T4", "tf32"));
  CHECK_FALSE(PeaksOf("unknown GPU", "f32"));
  CHECK(TypeInName("gemm bf16 128x128 tn") == "bf16");
  CHECK(TypeInName("gemm") == "");
}

TEST_CASE("breakdowns are found by their names only") {
  REQUIRE(BreakdownKinds().size() == 5);
  for (const AnalysisKind& kind : BreakdownKinds()) CHECK(FindAnalysis(kind.name) == &kind);
  CHECK(FindAnalysis("IDLE_BREAKDOWN") == nullptr);
}

TEST_CASE("breakdowns of time: overlaps once, gaps by their cause") {
  ModelMaker make;
  const NodeId compute = make.Node({{make.Kernel("gemm")}});
  const NodeId reduce = make.Node({{make.Kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL")}});
  const auto run = [&](NodeId node, HostNs launch, HostNs start, HostNs end) {
    PhaseOperation operation;
    operation.launch = launch;
    operation.start = start;
    operation.end = end;
    operation.thread = make.thread;
    operation.node = node;
    make.work.operations.push_back(operation);
    make.work.configs.push_back({});
    make.work.launch_ns.push_back(launch == 0 ? -1 : 60'000);
  };
  make.Run(compute, 1);  // so that the tree has GPU time
  make.work = {};
  run(compute, 900, 1000, 2000);
  run(reduce, 1500, 2020, 3000);     // 20 ns after: kernel wait
  run(compute, 1600, 3500, 4000);    // launched long before: other
  run(compute, 4200, 5000, 90'000);  // launched too late: host wait
  run(reduce, 0, 89'000, 91'000);    // overlaps
  make.profile.meta["duration_ns"] = "100000";
  const Analysis time = Make(make, "temporal_breakdown");
  REQUIRE(time.rows.size() == 1);
  CHECK(Number(time, 0, "kernel_time_ns") == 90'000);
  CHECK(Number(time, 0, "idle_ns") == 20 + 500 + 1000);
  CHECK(Number(time, 0, "compute_ns") == 1000 + 500 + 85'000);
  CHECK(Number(time, 0, "non_compute_ns") == 980 + 1000);
  const Analysis kinds = Make(make, "kernel_breakdown");
  REQUIRE(kinds.rows.size() == 3);
  CHECK(std::get<std::string>(kinds.rows[2][0]) == "computation overlapping communication");
  CHECK(Number(kinds, 2, "ns") == 1000);
  const Analysis idle = Make(make, "idle_breakdown");
  REQUIRE(idle.rows.size() == 1);
  CHECK(Number(idle, 0, "kernel_wait_ns") == 20);
  CHECK(Number(idle, 0, "other_ns") == 500);
  CHECK(Number(idle, 0, "host_wait_ns") == 1000);
  const Analysis calls = Make(make, "launch_statistics");
  REQUIRE(calls.rows.size() == 1);
  CHECK(Number(calls, 0, "count") == 4);
  CHECK(Number(calls, 0, "short") == 3);
  CHECK(Number(calls, 0, "long_calls") == 4);
  CHECK(calls.notes.size() == 2);  // one operation has no call
  const Analysis queue = Make(make, "queue_length");
  REQUIRE(queue.rows.size() == 1);
  CHECK(Number(queue, 0, "count") == 8);
  CHECK(Number(queue, 0, "max") == 2);
  make.work.launch_ns.clear();
  CHECK(Make(make, "launch_statistics").reason.find("traces") != std::string::npos);
}

TEST_CASE("a stream is idle from the latest end on, and no time is too far for a delay") {
  ModelMaker make;
  const NodeId compute = make.Node({{make.Kernel("gemm")}});
  make.Run(compute, 1);  // so that the tree has GPU time
  make.work = {};
  for (const auto& [start, end] :
       {std::pair(1000, 101'000), std::pair(11'000, 21'000), std::pair(201'000, 211'000)}) {
    PhaseOperation operation;
    operation.launch = 500;
    operation.start = start;
    operation.end = end;
    operation.thread = make.thread;
    operation.node = compute;
    make.work.operations.push_back(operation);
    make.work.configs.push_back({});
    make.work.launch_ns.push_back(100);
  }
  make.profile.meta["duration_ns"] = "1000000";
  const Analysis idle = Make(make, "idle_breakdown");
  REQUIRE(idle.rows.size() == 1);
  CHECK(Number(idle, 0, "idle_ns") == 100'000);
  CHECK(Number(idle, 0, "other_ns") == 100'000);  // launched before
  CHECK(Number(Make(make, "launch_statistics"), 0, "delay_mean_ns") ==
        400 + (10'000 + 200'000) / 3);
  // Of a broken file.
  make.work.launch_ns.assign(3, INT64_MAX);
  for (PhaseOperation& operation : make.work.operations) operation.start = -(HostNs{1} << 61);
  make.profile.meta.erase("duration_ns");
  const Analysis calls = Make(make, "launch_statistics");
  REQUIRE_FALSE(calls.rows.empty());
  CHECK(Number(calls, 0, "delay_mean_ns") == 0);
}

}  // namespace gprofx::testing
