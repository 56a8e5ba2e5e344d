// Counts of a run and of its steps, from events made by hand.
#include "core/compare/event_counts.h"

#include <catch2/catch.hpp>

#include "core/compare/facts.h"
#include "core/compare/work.h"
#include "sample_profile.h"

namespace gprofx::compare {
namespace {

using gprofx::testing::ProfileMaker;

constexpr HostNs kStep = 1000;

// A process whose steps begin at 0, 1000, ...; the first `warm_up` are none.
struct Job {
  ProfileMaker make;
  ThreadId thread;
  EventTable kernels{Stream::kKernels}, copies{Stream::kCopies}, calls{Stream::kCalls};

  explicit Job(int steps, uint32_t warm_up = 2) {
    thread = make.AddThread(1, 1, "train.py", "python3");
    Profile& profile = make.profile;
    for (const char* name : {"gemm", "relu"}) {
      GpuKernelConfig config;
      config.function = profile.Intern(Function{profile.Intern(name), {}, 0, {}});
      config.grid[0] = config.grid[1] = config.grid[2] = 1;
      config.block[0] = 32;
      config.block[1] = config.block[2] = 1;
      profile.gpu.configs.push_back(config);
    }
    StepTrain train;
    train.process = profile.thread(thread).process;
    train.warm_up = warm_up;
    for (int i = 0; i < steps; ++i) train.steps.push_back({i * kStep, (i + 1) * kStep});
    profile.phases.trains.push_back(std::move(train));
  }

  // Runs `late` after its launch.
  void Kernel(uint32_t config, HostNs launch, HostNs late = 10, uint64_t graph = 0,
              uint32_t correlation = 0) {
    KernelEvent row;
    row.start = launch + late;
    row.launch = launch;
    row.thread = thread;
    row.config = GpuConfigId{config};
    row.graph_node = graph;
    row.correlation = correlation;
    kernels.Append(row);
  }

  WorkDone Counted(bool each_step) {
    EventCounts counts(make.profile, true);
    for (const EventTable* table : {&kernels, &copies, &calls}) counts.Add(*table);
    WorkDone work;
    if (each_step) {
      counts.EachStep(work);
    } else {
      counts.Whole(work);
    }
    return work;
  }
};

constexpr char kGemm[] = "launches: gemm [1x1x1, 32x1x1]";
constexpr char kRelu[] = "launches: relu [1x1x1, 32x1x1]";

}  // namespace

TEST_CASE("the count of a step does not depend on how many there are, nor on when kernels run") {
  for (const int steps : {10, 100, 120}) {
    Job job(steps);
    for (int i = 0; i < steps; ++i) {
      // The last kernel of a step runs in the next one.
      for (int k = 0; k < 3; ++k) job.Kernel(1, i * kStep + 300 * k, 300 * k);
      job.Kernel(2, i * kStep + 999, 5000);
      if (i % 7 == 0) job.Kernel(2, i * kStep + 500);  // every now and then one more
    }
    job.Kernel(1, 0);  // in the warm-up
    job.Kernel(1, steps * kStep + 500);
    const WorkDone step = job.Counted(true);
    CHECK(step.counts.at(kGemm) == 3);
    CHECK(step.counts.at(kRelu) == 1);
    CHECK(step.sums.at("launches") == 4);
    CHECK(step.varying.empty());
    const WorkDone run = job.Counted(false);
    CHECK(run.counts.at(kGemm) == 3 * steps + 2);
    CHECK(run.sums.at("launches") == 4 * steps + 2 + (steps + 6) / 7);
  }
}

TEST_CASE("what is not the same in most steps varies") {
  Job job(30);
  for (int i = 0; i < 30; ++i) {
    for (int k = 0; k <= i % 3; ++k) job.Kernel(1, i * kStep + k);
    job.Kernel(2, i * kStep + 500);
  }
  const WorkDone step = job.Counted(true);
  CHECK_FALSE(step.counts.contains(kGemm));
  CHECK(step.varying == std::set<std::string>{kGemm, "launches"});
  CHECK(step.counts.at(kRelu) == 1);
}

TEST_CASE("each process has its own steps") {
  Job job(20);
  const ThreadId other = job.make.AddThread(2, 2, "train.py", "python3");
  StepTrain train = job.make.profile.phases.trains[0];
  train.process = job.make.profile.thread(other).process;
  for (TimeRange& step : train.steps) {
    step.begin += 500;
    step.end += 500;
  }
  job.make.profile.phases.trains.push_back(train);
  const ThreadId first = job.thread;
  for (int i = 0; i < 20; ++i) {
    job.Kernel(1, i * kStep + 100);
    job.thread = other;
    job.Kernel(1, i * kStep + 600);
    job.Kernel(1, i * kStep + 1400);
    job.thread = first;
  }
  CHECK(job.Counted(true).counts.at(kGemm) == 3);
}

TEST_CASE("replays of a graph, copies by direction and calls that wait are counted") {
  Job job(10);
  for (int i = 0; i < 10; ++i) {
    const auto number = static_cast<uint32_t>(i + 1);
    for (uint64_t node = 1; node <= 5; ++node) job.Kernel(1, i * kStep + 10, 10, node, number);
    CopyEvent copy;
    copy.start = i * kStep + 50;
    copy.launch = i * kStep + 20;
    copy.thread = job.thread;
    copy.bytes = 4096;
    copy.kind = 1;
    job.copies.Append(copy);
    CallEvent call;
    call.thread = job.thread;
    call.start = i * kStep + 900;
    call.name = job.make.profile.Intern("cuStreamSynchronize");
    job.calls.Append(call);
    // Only long ones of these have a record: they are no count.
    if (i % 2 == 0) {
      call.name = job.make.profile.Intern("cuLaunchKernel");
      job.calls.Append(call);
    }
  }
  const WorkDone step = job.Counted(true);
  CHECK(step.sums.at("graphs") == 1);
  CHECK(step.sums.at("launches") == 5);
  CHECK(step.sums.at("bytes H2D") == 4096);
  CHECK(step.sums.at("bytes") == 4096);
  CHECK(step.sums.at("copies H2D") == 1);
  CHECK(step.sums.at("syncs") == 1);
  CHECK(step.counts.at("calls: cuStreamSynchronize") == 1);
  CHECK_FALSE(step.counts.contains("calls: cuLaunchKernel"));
  CHECK(step.varying.empty());
}

TEST_CASE("numbers that only a broken file has count for nothing") {
  Job job(10);
  KernelEvent row;
  row.config = GpuConfigId{77};
  row.thread = ThreadId{99};
  row.launch = INT64_MAX;
  job.kernels.Append(row);
  row.launch = INT64_MIN;
  row.graph_node = 5;
  job.kernels.Append(row);
  CallEvent call;
  call.name = StringId{12345};
  job.calls.Append(call);
  CHECK(job.Counted(true).counts.empty());
  CHECK(job.Counted(false).sums.at("launches") == 2);
}

TEST_CASE("functions know who calls them, operators have what is below them") {
  ProfileMaker make;
  const ThreadId thread = make.AddThread(1, 1, "train.py", "python3");
  const ModuleId torch = make.AddModule("/x/libtorch_cpu.so.2.5", 0);
  const FrameId step = make.Python("step", "/home/a/train.py", 12, 10);
  const FrameId add = make.Native("at::_ops::add_Tensor::call(at::Tensor const&)", torch);
  const FrameId mul = make.Native("at::_ops::mul_Tensor::redispatch(c10::DispatchKeySet)", torch);
  const FrameId work = make.Native("at::native::loop()", torch);
  make.Add(thread, {step}, 5);
  make.Add(thread, {step, add, work}, 30);
  make.Add(thread, {step, add, mul, work}, 10);
  const WorkDone done = WorkOf(make.profile, CodeView::kMixed);
  REQUIRE(done.operators.size() == 2);
  CHECK(done.operators.at("aten::add_Tensor").ns == Approx(30e6));
  CHECK(done.operators.at("aten::mul_Tensor").ns == Approx(10e6));
  const Part& loop = done.functions.at("c++\nlibtorch_cpu.so\nat::native::loop()");
  CHECK(loop.ns == Approx(40e6));
  CHECK(loop.parent.empty());  // two share it
  const Part& caller = done.functions.at("py\ntrain.py\nstep");
  CHECK(caller.total_ns == Approx(45e6));
  CHECK(done.functions.at("c++\nlibtorch_cpu.so\nat::_ops::add_Tensor::call(at::Tensor const&)")
            .parent == "py\ntrain.py\nstep");
  CHECK(loop.seen_line == 12);
  // The line is told apart by its place in the function.
  CHECK(done.lines.at("py\ntrain.py\nstep\n2").line == 12);
  CHECK(done.lines.at("py\ntrain.py\nstep\n2").of == "py\ntrain.py\nstep");
  // To Python all of it is the line's.
  CHECK(WorkOf(make.profile, CodeView::kPython).functions.at("py\ntrain.py\nstep").ns ==
        Approx(45e6));
}

TEST_CASE("facts leave out where things are") {
  ProfileMaker make;
  make.AddModule("/opt/lib/libpython3.12.so.1.0", kModuleIsPython);
  make.profile.meta["command"] = "/opt/venv/bin/python3 /tmp/head/train.py --steps 5";
  make.profile.meta["cpu_model"] = "Xeon";
  CHECK(WorkloadFacts(make.profile).at("command") == "python3 train.py --steps 5");
  make.profile.meta["command"] = "/bin/sh -c '/usr/bin/python3 train.py'";
  CHECK(WorkloadFacts(make.profile).at("command") == "sh -c 'python3 train.py'");
  CHECK(MachineFacts(make.profile).at("Python") == "3.12");
  CHECK(MachineFacts(make.profile).at("CPU") == "Xeon");
  ProfileMaker other;
  other.AddModule("/usr/bin/python3.12", kModuleIsPython);
  CHECK(MachineFacts(other.profile).at("Python") == "3.12");
}

}  // namespace gprofx::compare
