// Steps of programs of many kinds: those that mark them, optimizers, launches that repeat, and
// those that have none.
#include "core/steps/phases.h"

#include <initializer_list>
#include <random>
#include <string>

#include <catch2/catch.hpp>
#include "core/model/profile.h"

namespace gprofx {
namespace {

constexpr HostNs kMs = 1'000'000;

// A program with one thread that launches, and time that passes.
class Program {
 public:
  Program() { AddRank(); }

  void AddRank() {
    const auto number = static_cast<uint32_t>(profile.processes.size() + 1);
    profile.processes.push_back({static_cast<int32_t>(number), 0, profile.Intern("train.py"), {}});
    profile.threads.push_back({ProcessId{number}, number, profile.Intern("train.py")});
  }

  struct Call {  // a frame of Python
    const char* name;
    const char* file = "/job/train.py";
    uint32_t line = 1;
  };

  NodeId Path(std::initializer_list<Call> calls) {
    NodeId node = profile.root();
    for (const Call& call : calls) {
      Function function{profile.Intern(call.name), profile.Intern(call.file), 1, {}};
      Frame frame;
      frame.kind = FrameKind::kPython;
      frame.function = profile.Intern(function);
      frame.line = call.line;
      node = profile.Child(node, profile.Intern(frame));
    }
    return node;
  }

  // A kernel of 1 ms, launched now; the host goes on after 1 ms.
  void Launch(NodeId path, const char* kernel, HostNs takes = kMs) {
    Function function;
    function.name = profile.Intern(kernel);
    Frame frame;
    frame.kind = FrameKind::kGpuKernel;
    frame.function = profile.Intern(function);
    now += 1000;
    events.operations.push_back({now,
                                 now + 500,
                                 now + 500 + takes,
                                 ThreadId{1},
                                 profile.Child(path, profile.Intern(frame)),
                                 {}});
    now += takes;
  }
  void Wait() {
    events.waits.push_back({now, now + kMs, ThreadId{1}, profile.root()});
    now += kMs;
  }
  void Mark(const std::string& name, HostNs begin) {
    events.markers.push_back({begin, now, ThreadId{1}, profile.Intern(name)});
  }
  Phases Find() { return FindPhases(profile, events, now + kMs); }

  Profile profile;
  PhaseEvents events;
  HostNs now = 100 * kMs;
};

size_t StepsOf(const Phases& phases) {
  return phases.trains.empty() ? 0 : phases.trains[0].steps.size();
}

// From 0 to the end, without a gap.
void CheckPartition(const Phases& phases, HostNs end) {
  HostNs at = 0;
  for (const Phase& phase : phases.phases) {
    CHECK(phase.range.begin == at);
    CHECK(phase.range.begin < phase.range.end);
    at = phase.range.end;
  }
  CHECK(at == end);
}

// Forward, backward and an optimizer of torch.
void TrainStep(Program& p, int layers = 3, HostNs takes = kMs) {
  const Program::Call main{"<module>"},
      module{"Module._call_impl", "/x/torch/nn/modules/module.py"};
  p.Launch(p.Path({main, {"to"}}), "copy", takes);
  for (int i = 0; i < layers; ++i) {
    p.Launch(p.Path({main, module, {"forward"}}), "gemm", takes);
    p.Launch(p.Path({main, module, {"forward", "/job/train.py", 2}}), "relu", takes);
  }
  p.Launch(p.Path({main, {"backward"}}), "gemm_backward", takes);
  p.Launch(p.Path({main,
                   {"Optimizer.profile_hook_step.<locals>.wrapper", "/x/torch/optim/optimizer.py"},
                   {"AdamW.step", "/x/torch/optim/adamw.py"}}),
           "adam", takes);
  p.Launch(p.Path({main,
                   {"Optimizer.profile_hook_step.<locals>.wrapper", "/x/torch/optim/optimizer.py"},
                   {"AdamW.step", "/x/torch/optim/adamw.py", 2}}),
           "adam2", takes);
}

TEST_CASE("an optimizer's calls are steps, the first slow ones warm-up") {
  Program p;
  p.Launch(p.Path({{"<module>"}, {"load"}}), "fill");
  for (int i = 0; i < 20; ++i) TrainStep(p, 3, i < 2 ? 20 * kMs : kMs);
  const Phases phases = p.Find();
  REQUIRE(phases.trains.size() == 1);
  CHECK(phases.trains[0].source == StepSource::kOptimizer);
  CHECK(StepsOf(phases) == 20);
  CHECK(phases.trains[0].warm_up == 2);
  CheckPartition(phases, p.now + kMs);
  // What was loaded before is start-up; the first step begins with its first launch.
  CHECK(phases.trains[0].steps[0].begin == p.events.operations[1].launch);
  REQUIRE(phases.Find(PhaseKind::kSteady) != nullptr);
  CHECK(phases.Find(PhaseKind::kSteady)->range.begin == phases.trains[0].steps[2].begin);
}

TEST_CASE("two optimizers are one step, and a closure below an optimizer is no part of it") {
  Program p;
  const Program::Call main{"<module>"};
  const Program::Call wrapper{"wrapper", "/x/torch/optim/optimizer.py"};
  for (int i = 0; i < 12; ++i) {
    for (uint32_t which : {1u, 2u}) {  // a generator and its critic
      const Program::Call step{"wrapper", "/x/torch/optim/optimizer.py", which};
      p.Launch(p.Path({main, {"forward", "/job/gan.py", which}}), "gemm");
      p.Launch(p.Path({main, step}), "adam");
    }
  }
  CHECK(StepsOf(p.Find()) == 12);

  Program lightning;
  for (int i = 0; i < 12; ++i) {
    const Program::Call step{"AdamW.step", "/x/torch/optim/adamw.py"};
    lightning.Launch(lightning.Path({main, wrapper, step, {"Closure.__call__"}, {"forward"}}),
                     "gemm");
    lightning.Launch(lightning.Path({main, wrapper, step, {"Closure.__call__"}, {"loss"}}), "loss");
    lightning.Launch(lightning.Path({main, wrapper, step}), "adam");
  }
  CHECK(StepsOf(lightning.Find()) == 12);
  CHECK(lightning.Find().trains[0].source == StepSource::kOptimizer);
}

TEST_CASE("steps that are marked are those of the marks") {
  Program p;
  for (int i = 0; i < 6; ++i) {
    const HostNs begin = p.now;
    TrainStep(p);
    TrainStep(p);  // gradients of two batches
    p.Mark("ProfilerStep#" + std::to_string(i), begin);
    p.Mark("Optimizer.step#AdamW.step", p.now - kMs);
  }
  const Phases phases = p.Find();
  CHECK(StepsOf(phases) == 6);
  CHECK(phases.trains.at(0).source == StepSource::kMarkers);

  SECTION("also where records are missing, but then nothing else is believed") {
    p.profile.quality["gpu_records_dropped"] = 1;
    CHECK(StepsOf(p.Find()) == 6);
    p.events.markers.clear();
    CHECK(StepsOf(p.Find()) == 0);
  }
  SECTION("marks of a small part of the run are not its steps") {
    for (int i = 0; i < 40; ++i) TrainStep(p);
    CHECK(p.Find().trains.at(0).source == StepSource::kOptimizer);
  }
}

TEST_CASE("names that mark steps") {
  const auto steps = [](const std::string& name, bool numbered) {
    Program p;
    for (int i = 0; i < 5; ++i) {
      const HostNs begin = p.now;
      p.Launch(p.Path({{"f", "/job/x.py", static_cast<uint32_t>(i)}}), "k");
      p.Mark(name + (numbered ? std::to_string(i) : ""), begin);
    }
    return StepsOf(p.Find());
  };
  CHECK(steps("step ", true) == 5);
  CHECK(steps("iteration_", true) == 5);
  CHECK(steps("Batch:", true) == 5);
  CHECK(steps("train_step", false) == 5);
  CHECK(steps("[pl][profile]run_training_batch", false) == 5);
  CHECK(steps("Optimizer.step#AdamW.step", false) == 0);
  CHECK(steps("aten::native_batch", false) == 0);
  CHECK(steps("layer", true) == 0);
  CHECK(steps("lr_scheduler.step", false) == 0);
}

TEST_CASE("launches that repeat are steps, whatever launches them") {
  Program p;
  p.Launch(p.Path({{"main"}, {"setup"}}), "fill");
  SECTION("the replay of a graph") {
    for (int i = 0; i < 30; ++i) {
      const HostNs launch = p.now;
      for (const char* kernel : {"a", "b", "c"}) p.Launch(p.Path({{"main"}, {"replay"}}), kernel);
      for (size_t k = 1; k <= 3; ++k)
        p.events.operations[p.events.operations.size() - k].launch = launch;
      p.Wait();
    }
    CHECK(StepsOf(p.Find()) == 30);
    CHECK(p.Find().trains[0].source == StepSource::kLaunchPeriod);
  }
  SECTION("inference: layers of a module are no steps") {
    const Program::Call module{"Module._call_impl", "/x/torch/nn/modules/module.py"};
    for (int token = 0; token < 25; ++token) {
      p.Launch(p.Path({{"main"}, {"generate"}, module, {"embed"}}), "gather");
      for (int layer = 0; layer < 40; ++layer) {
        for (const char* part : {"norm", "attention", "mlp"}) {
          p.Launch(p.Path({{"main"}, {"generate"}, module, {"layer"}, {part}}), part);
        }
      }
      p.Launch(p.Path({{"main"}, {"generate"}, {"sample"}}), "argmax");
    }
    CHECK(StepsOf(p.Find()) == 25);
  }
  SECTION("layers without modules: the host waits in each step") {
    for (int token = 0; token < 25; ++token) {
      p.Launch(p.Path({{"main"}, {"embed"}}), "gather");
      for (int layer = 0; layer < 40; ++layer) {
        for (const char* part : {"norm", "mlp"}) p.Launch(p.Path({{"main"}, {part}}), part);
      }
      p.Launch(p.Path({{"main"}, {"sample"}}), "argmax");
      p.Wait();
    }
    CHECK(StepsOf(p.Find()) == 25);
  }
  SECTION("loops in a loop, and nobody waits: no answer") {
    for (int outer = 0; outer < 25; ++outer) {
      p.Launch(p.Path({{"main"}, {"outer"}}), "begin");
      p.Launch(p.Path({{"main"}, {"outer2"}}), "begin2");
      for (int inner = 0; inner < 40; ++inner) {
        for (const char* part : {"a", "b"}) p.Launch(p.Path({{"main"}, {part}}), part);
      }
    }
    CHECK(StepsOf(p.Find()) == 0);
  }
  SECTION("a loop of small operations between the large ones of a step, and nobody waits") {
    for (int step = 0; step < 25; ++step) {
      p.Launch(p.Path({{"main"}, {"step"}}), "gemm", 60 * kMs);
      for (int i = 0; i < 40; ++i) {
        for (const char* part : {"a", "b"}) p.Launch(p.Path({{"main"}, {"step"}, {part}}), part);
      }
      p.Launch(p.Path({{"main"}, {"step", "/job/train.py", 3}}), "gemm", 60 * kMs);
    }
    CHECK(StepsOf(p.Find()) == 25);
  }
  SECTION("the first passes are compiled and take other kernels") {
    for (int i = 0; i < 40; ++i) {
      p.Launch(p.Path({{"main"}, {"to"}}), "copy");
      for (const char* part : {"x", "y"})
        p.Launch(p.Path({{"main"}, {part}}), i < 2 ? "eager" : part);
      p.Launch(p.Path({{"main"}, {"item"}}), "copy");
      p.Wait();
    }
    CHECK(StepsOf(p.Find()) == 40);
  }
  SECTION("three grids a step, and the host waits after each") {
    for (int step = 0; step < 10; ++step) {
      p.Launch(p.Path({{"main"}, {"sample"}}), "sample");
      for (int grid = 0; grid < 3; ++grid) {
        for (const char* part : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
          p.Launch(p.Path({{"main"}, {"grid"}, {part}}), part);
        p.Wait();
      }
      for (const char* part : {"loss", "update"}) p.Launch(p.Path({{"main"}, {part}}), part);
    }
    CHECK(StepsOf(p.Find()) == 10);
  }
  SECTION("micro-batches, then an update; the recording begins and ends within a step") {
    for (int batch = 1; batch < 3 * 12 - 1; ++batch) {
      for (const char* part : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
        p.Launch(p.Path({{"main"}, {"batch"}, {part}}), part);
      p.Wait();
      if (batch % 3 != 2) continue;
      for (const char* part : {"clip", "update"}) p.Launch(p.Path({{"main"}, {part}}), part);
    }
    CHECK(StepsOf(p.Find()) == 11);
  }
  SECTION("tokens of one prompt after the other, and the host waits for each") {
    for (int prompt = 0; prompt < 10; ++prompt) {
      p.Launch(p.Path({{"main"}, {"embed"}}), "embed");
      for (int token = 0; token < 32; ++token) {
        for (const char* part : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
          p.Launch(p.Path({{"main"}, {"token"}, {part}}), part);
        p.Wait();
      }
    }
    CHECK(StepsOf(p.Find()) == 320);
  }
  SECTION("kernels that change with the size of the input") {
    std::mt19937 random(3);
    for (int i = 0; i < 40; ++i) {
      for (const char* part : {"x", "y", "z"}) {
        static constexpr const char* kKernels[] = {"64", "128", "256"};
        p.Launch(p.Path({{"main"}, {part}}), kKernels[random() % 3]);
      }
    }
    CHECK(StepsOf(p.Find()) == 40);
  }
}

TEST_CASE("no steps where there are none") {
  Program p;
  std::mt19937 random(7);
  SECTION("launches in any order") {
    for (int i = 0; i < 500; ++i) {
      static constexpr const char* kKernels[] = {"a", "b", "c", "d", "e"};
      const char* kernel = kKernels[random() % 5];
      p.Launch(p.Path({{"main"}, {kernel}}), kernel);
      if (random() % 3 == 0) p.Wait();
    }
  }
  SECTION("the same number of launches of some kernels, one kind after the other") {
    for (const char* kernel : {"a", "b", "c"}) {
      for (int i = 0; i < 100; ++i) p.Launch(p.Path({{"main"}, {kernel}}), kernel);
    }
  }
  SECTION("one launch again and again") {
    for (int i = 0; i < 100; ++i) p.Launch(p.Path({{"main"}}), "a");
  }
  SECTION("a loop that is a small part of the run") {
    for (int i = 0; i < 10; ++i) {
      for (const char* part : {"x", "y", "z"}) p.Launch(p.Path({{"warm"}, {part}}), part);
    }
    for (uint32_t i = 0; i < 200; ++i) p.Launch(p.Path({{"main", "/job/x.py", i}}), "a", 3 * kMs);
  }
  SECTION("too few") {
    for (int i = 0; i < 3; ++i) TrainStep(p);
  }
  const Phases phases = p.Find();
  CHECK(StepsOf(phases) == 0);
  REQUIRE(phases.phases.size() == 2);
  CHECK(phases.phases[0].kind == PhaseKind::kStartUp);
  CHECK(phases.phases[1].kind == PhaseKind::kWork);
  CheckPartition(phases, p.now + kMs);
}

TEST_CASE("a host that waits after each launch steps through them") {
  Program p;
  for (int i = 0; i < 50; ++i) {
    p.Launch(p.Path({{"main"}}), "a");
    p.Wait();
  }
  CHECK(StepsOf(p.Find()) == 50);
}

TEST_CASE("a program without a GPU has no phases, each rank has its own steps") {
  CHECK(Program().Find().empty());

  Program p;
  p.AddRank();
  for (int i = 0; i < 10; ++i) TrainStep(p);
  PhaseEvents both = p.events;
  for (PhaseOperation operation : p.events.operations) {
    operation.thread = ThreadId{2};
    both.operations.push_back(operation);
  }
  const Phases phases = FindPhases(p.profile, both, p.now);
  REQUIRE(phases.trains.size() == 2);
  CHECK(phases.trains[0].process == ProcessId{1});
  CHECK(phases.trains[1].process == ProcessId{2});
  CHECK(phases.trains[1].steps.size() == 10);
}

TEST_CASE("a rank with records of all work has its steps beside one with launches") {
  Program p;
  p.AddRank();
  for (int i = 0; i < 10; ++i) TrainStep(p);
  PhaseEvents both = p.events;
  for (PhaseOperation operation : p.events.operations) {
    both.launches.push_back({operation.launch, ThreadId{1}, p.profile.node(operation.node).parent});
    operation.thread = ThreadId{2};
    both.operations.push_back(operation);
  }
  p.profile.quality["gpu_level_counted_ns"] = p.now / 2;
  const Phases phases = FindPhases(p.profile, both, p.now);
  REQUIRE(phases.trains.size() == 2);
  CHECK(phases.trains[0].steps.size() == 10);
  CHECK(phases.trains[1].steps.size() == 10);
}

// Launches are counted all the time, and of the second half of the work there are no records.
void ForgetRecordsOfTheSecondHalf(Program& p) {
  for (const PhaseOperation& operation : p.events.operations) {
    p.events.launches.push_back(
        {operation.launch, operation.thread, p.profile.node(operation.node).parent});
  }
  p.events.operations.resize(p.events.operations.size() / 2);
  p.profile.quality["gpu_level_counted_ns"] = p.now / 2;
}

TEST_CASE("steps are found in all of a run that was traced for a part of the time") {
  Program training, inference;
  for (int i = 0; i < 20; ++i) TrainStep(training, 3, i < 2 ? 20 * kMs : kMs);
  for (int i = 0; i < 30; ++i) {
    for (uint32_t line = 1; line < 8; ++line) {
      inference.Launch(inference.Path({{"<module>"}, {"forward", "/job/infer.py", line}}), "gemm");
    }
    inference.Wait();
  }
  for (Program* p : {&training, &inference}) {
    const Phases exact = p->Find();
    REQUIRE(exact.trains.size() == 1);
    ForgetRecordsOfTheSecondHalf(*p);
    const Phases found = p->Find();
    REQUIRE(found.trains.size() == 1);
    CHECK(found.trains[0].source == exact.trains[0].source);
    CHECK(found.trains[0].warm_up == exact.trains[0].warm_up);
    REQUIRE(found.trains[0].steps.size() == exact.trains[0].steps.size());
    // The end of the last step's work is not known, all else is.
    for (size_t i = 0; i + 1 < exact.trains[0].steps.size(); ++i) {
      CHECK(found.trains[0].steps[i] == exact.trains[0].steps[i]);
    }
    // No records are used, so it does not matter that some were dropped.
    p->profile.quality["gpu_records_dropped"] = 1;
    CHECK(StepsOf(p->Find()) == exact.trains[0].steps.size());
    // Without the launches nothing is claimed.
    p->events.launches.clear();
    CHECK(StepsOf(p->Find()) == 0);
  }
}

TEST_CASE(
    "a loop of short kernels between long ones is none where records were made for a part of the "
    "time either") {
  Program p;
  for (int i = 0; i < 12; ++i) {
    p.Launch(p.Path({{"step", "/job/chain.py", 1}}), "gemm", 40 * kMs);
    for (int k = 0; k < 10; ++k) {
      p.Launch(p.Path({{"chain", "/job/chain.py", 5}}), "mul");
      p.Launch(p.Path({{"chain", "/job/chain.py", 6}}), "add");
    }
    p.Launch(p.Path({{"step", "/job/chain.py", 2}}), "gemm", 40 * kMs);
  }
  CHECK(StepsOf(p.Find()) == 12);
  ForgetRecordsOfTheSecondHalf(p);
  CHECK(StepsOf(p.Find()) == 12);
}

TEST_CASE("a loop of which no record was made has its steps all the same") {
  for (const bool marked : {false, true}) {
    Program p;
    for (int i = 0; i < 10; ++i)
      p.Launch(p.Path({{"tune", "/job/train.py", 40}}), "trial", 20 * kMs);
    const size_t recorded = p.events.operations.size();
    for (int i = 0; i < 30; ++i) {
      const HostNs begin = p.now;
      for (uint32_t line = 1; line < 8; ++line)
        p.Launch(p.Path({{"step", "/job/train.py", line}}), "gemm");
      if (marked) p.Mark("ProfilerStep#" + std::to_string(i), begin);
    }
    ForgetRecordsOfTheSecondHalf(p);
    p.events.operations.resize(recorded);
    CHECK(StepsOf(p.Find()) == 30);
  }
}

TEST_CASE("steps go on by the call that each begins with, where not all launches are looked at") {
  Program p;
  for (int i = 0; i < 50; ++i) TrainStep(p, 3, i < 2 ? 20 * kMs : kMs);
  const std::vector<TimeRange> exact = p.Find().trains.at(0).steps;
  ForgetRecordsOfTheSecondHalf(p);
  const HostNs seen = exact[20].begin + kMs;
  std::vector<PhaseLaunch> later;
  for (const PhaseLaunch& launch : p.events.launches) {
    if (launch.time >= seen) later.push_back(launch);
  }
  std::erase_if(p.events.launches, [&](const PhaseLaunch& launch) { return launch.time >= seen; });
  Phases found = p.Find();
  REQUIRE(found.trains.size() == 1);
  const std::optional<StepAnchor> anchor = AnchorOf(found.trains[0], p.events.launches);
  REQUIRE(anchor);

  SECTION("to the end") {
    std::vector<HostNs> begins;
    later.insert(later.begin(), p.events.launches.begin(), p.events.launches.end());
    for (const PhaseLaunch& launch : later) {
      const bool after = launch.time > found.trains[0].steps.back().begin;
      if (launch.node == anchor->node && after) begins.push_back(launch.time);
    }
    const Phases all = ContinueSteps(p.profile, p.events, found, {begins}, p.now + kMs);
    REQUIRE(all.trains.size() == 1);
    REQUIRE(all.trains[0].steps.size() == exact.size());
    CHECK(all.trains[0].warm_up == 2);
    for (size_t i = 0; i + 1 < exact.size(); ++i) CHECK(all.trains[0].steps[i] == exact[i]);
    CHECK(all.trains[0].steps.back().begin == exact.back().begin);
    CheckPartition(all, p.now + kMs);
  }
  SECTION("or ended before") {
    const Phases all =
        ContinueSteps(p.profile, p.events, found, {std::vector<HostNs>{}}, p.now + kMs);
    CHECK(StepsOf(all) == StepsOf(found));
  }
  SECTION("and where no call tells them nothing is said") {
    const Phases all = ContinueSteps(p.profile, p.events, found, {std::nullopt}, p.now + kMs);
    CHECK(all.trains.empty());
  }
  SECTION("a call that comes more than once in a step is no anchor") {
    std::vector<PhaseLaunch> twice = p.events.launches;
    for (const PhaseLaunch& launch : p.events.launches) {
      if (launch.node == anchor->node)
        twice.push_back({launch.time + 10, launch.thread, launch.node});
    }
    CHECK_FALSE(AnchorOf(found.trains[0], twice));
  }
}

}  // namespace
}  // namespace gprofx
