// Answers of --what-if on recordings made by hand, whose true answers are known.
#include "core/replay/what_if.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>

#include "core/replay/step_graphs.h"
#include "made_recording.h"

namespace gprofx::testing {
namespace {

WhatIfAnswer Ask(const MadeRecording& made, const std::string& text) {
  const Result<WhatIfChange> change = ParseWhatIf(text);
  REQUIRE(change);
  return AnswerWhatIf(made.profile, made.events, {}, std::span(&*change, 1));
}

// Steps of 1000 us: 100 us of launching, 800 us of kernel, a wait for it, 100 us of the host.
MadeRecording Waiting() {
  MadeRecording made;
  const NodeId path = made.Path("step", 12), kernel = made.Kernel("gemm", path);
  std::vector<int64_t> bounds;
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t at = i * 1000;
    bounds.push_back(at);
    made.Run(kernel, at + 94, at + 100, 800);
    made.Wait(path, at + 96, at + 900);
  }
  bounds.push_back(20'000);
  made.Steps(bounds);
  return made;
}

}  // namespace

TEST_CASE("changes are read as they are written") {
  CHECK(ParseWhatIf("pin_memory")->kind == WhatIfChange::kPinMemory);
  CHECK(ParseWhatIf(" no-sync train.py:12 ")->name == "train.py:12");
  const Result<WhatIfChange> scale = ParseWhatIf("scale void gemm<int, 4>(float*) 0.5");
  REQUIRE(scale);
  CHECK(scale->name == "void gemm<int, 4>(float*)");
  CHECK(scale->factor == 0.5);
  CHECK(WhatIfText(*scale) == "scale void gemm<int, 4>(float*) 0.5");
  for (const char* bad :
       {"", "faster", "fuse", "graphs now", "pin_memory x", "scale gemm", "scale gemm x", "scale 2",
        "scale gemm -1", "scale gemm nan", "scale gemm 1e9"}) {
    INFO(bad);
    CHECK_FALSE(ParseWhatIf(bad));
  }
}

TEST_CASE("without its wait the host runs ahead, and the GPU is the limit") {
  const MadeRecording made = Waiting();
  const WhatIfAnswer answer = Ask(made, "no-sync");
  CHECK(answer.reason.empty());
  CHECK(answer.steps == 20);
  CHECK(answer.recorded_ns == 1'000'000);
  CHECK(answer.now.limit == "sync");
  CHECK(answer.then.step_ns >= 800'000);
  CHECK(answer.then.step_ns <= 802'000);
  CHECK(answer.then.limit == "gpu");
  CHECK(answer.then.busy > 0.98);
}

TEST_CASE("of a named line only its waits go") {
  const MadeRecording made = Waiting();
  CHECK(Ask(made, "no-sync train.py:12").then.step_ns < 810'000);
  CHECK(Ask(made, "no-sync step").then.step_ns < 810'000);
  for (const char* other : {"no-sync train.py:13", "no-sync rain.py:12", "no-sync other"}) {
    const WhatIfAnswer answer = Ask(made, other);
    CHECK(answer.then.step_ns == answer.recorded_ns);
    CHECK(answer.changed.at(0).starts_with("nothing"));
  }
}

TEST_CASE("kernels of a name take another time") {
  const MadeRecording made = Waiting();
  CHECK(Ask(made, "scale gemm 0.5").then.step_ns == 600'000);
  CHECK(Ask(made, "scale gemm 1").then.step_ns == 1'000'000);
  CHECK(Ask(made, "scale gemm 2").then.step_ns == 1'800'000);
  CHECK(Ask(made, "scale other 2").then.step_ns == 1'000'000);
}

TEST_CASE("pinned memory is faster, and nobody waits for it") {
  MadeRecording made;
  const NodeId path = made.Path("step"), kernel = made.Kernel("gemm", path);
  std::vector<int64_t> bounds;
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t at = i * 10'000;
    bounds.push_back(at);
    made.Copy(path, cupti::kHostToDevice, cupti::kPageable, 3, 54'000'000, at + 2000, at + 2010,
              6'000);
    made.Wait(path, at + 8'020, at + 8'030);
    made.Run(kernel, at + 8'100, at + 8'106, 1'000);
  }
  bounds.push_back(200'000);
  made.Steps(bounds);
  const WhatIfAnswer answer = Ask(made, "pin_memory");
  CHECK(answer.recorded_ns == 10'000'000);
  // The host keeps its 2 ms before the copy and 1.9 ms after it; the GPU has 1 ms + 1 ms.
  CHECK(answer.then.step_ns >= 3'900'000);
  CHECK(answer.then.step_ns <= 4'100'000);
  CHECK(answer.then.limit == "host");
}

TEST_CASE("fused kernels are one launch and as long as the longest") {
  MadeRecording made;
  const NodeId path = made.Path("gelu"), rest = made.Path("other");
  const NodeId mul = made.Kernel("elementwise_kernel", path), gemm = made.Kernel("gemm", rest);
  std::vector<int64_t> bounds;
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t at = i * 1000;
    bounds.push_back(at);
    for (int64_t k = 0; k < 50; ++k) made.Run(mul, at + 10 * k, at + 10 * k + 6, 3);
    made.Run(gemm, at + 500, at + 506, 400);
    made.Wait(rest, at + 510, at + 906);
  }
  bounds.push_back(20'000);
  made.Steps(bounds);
  const WhatIfAnswer answer = Ask(made, "fuse gelu");
  CHECK(answer.then.step_ns == 1'000'000 - 490'000);
  CHECK(Ask(made, "fuse other").then.step_ns == 1'000'000);  // products are not fused
}

TEST_CASE("a graph takes away what the host needs to launch") {
  MadeRecording made;
  const NodeId kernel = made.Kernel("k", made.Path("step"));
  const auto steps = [&](const auto& step) {
    std::vector<int64_t> bounds;
    for (int64_t at = 0; at < 20'000; at += 1000) {
      bounds.push_back(at);
      step(at);
    }
    bounds.push_back(20'000);
    made.Steps(bounds);
  };
  SECTION("launched one by one") {
    steps([&](int64_t at) {
      for (int64_t k = 0; k < 100; ++k) made.Run(kernel, at + 10 * k, at + 10 * k + 6, 3);
    });
    const WhatIfAnswer answer = Ask(made, "graphs");
    CHECK(answer.now.limit == "host");
    CHECK(answer.then.step_ns >= 289'000);  // 100 kernels of 3 us, 0.1 us into each other
    CHECK(answer.then.step_ns <= 292'000);
    CHECK(answer.then.limit == "gpu");
  }
  SECTION("a graph already") {
    steps([&](int64_t at) {
      for (int64_t k = 0; k < 200; ++k) made.Run(kernel, at, at + 20 + 4 * k, 4);
      made.Wait(made.Path("step"), at + 10, at + 820);
    });
    const WhatIfAnswer answer = Ask(made, "graphs");
    CHECK(answer.then.step_ns >= 825'000);  // 200 kernels of 4 us, as long as they were
    CHECK(answer.then.step_ns <= 835'000);
  }
}

TEST_CASE("where nothing can be said there is a reason") {
  MadeRecording made;
  CHECK(Ask(made, "no-sync").reason.find("no GPU work") != std::string::npos);
  made.Run(made.Kernel("k", made.Path("step")), 10, 16, 100);
  CHECK(Ask(made, "no-sync").reason.find("no steps") != std::string::npos);
}

TEST_CASE("only steps in times in which records were made are replayed") {
  MadeRecording made = Waiting();
  std::vector<LevelWindow> windows;
  for (const auto& [begin, end, traced] :
       {std::tuple(0, 5'500'000, true), std::tuple(5'500'000, 9'000'000, false),
        std::tuple(9'000'000, 12'000'000, true), std::tuple(12'000'000, 12'900'000, true)}) {
    windows.push_back({begin, end, 100, true, traced, ProcessId{1}});
  }
  const std::vector<ReplayWindow> pieces = ReplayWindows(made.profile, windows);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].bounds ==
        std::vector<HostNs>{0, 1'000'000, 2'000'000, 3'000'000, 4'000'000, 5'000'000});
  CHECK(pieces[1].bounds == std::vector<HostNs>{9'000'000, 10'000'000, 11'000'000, 12'000'000});
  const Result<WhatIfChange> change = ParseWhatIf("scale gemm 0.5");
  const WhatIfAnswer answer =
      AnswerWhatIf(made.profile, made.events, windows, std::span(&*change, 1));
  CHECK(answer.steps == 8);
  CHECK(answer.now.step_ns == 1'000'000);
  CHECK(answer.then.step_ns == 600'000);
  windows.resize(1);
  windows[0].traced = false;
  CHECK(AnswerWhatIf(made.profile, made.events, windows, std::span(&*change, 1))
            .reason.find("--overhead none") != std::string::npos);
}

// Time of the CPU, so that a loaded machine changes little: a look at all windows for each step
// takes minutes.
TEST_CASE("steps find their windows among many, in any order") {
  constexpr int64_t kMany = 300'000, kLength = 1000;
  Profile profile;
  StepTrain train;
  train.process = ProcessId{1};
  std::vector<LevelWindow> windows;
  for (int64_t i = 0; i < kMany; ++i) {
    const HostNs begin = i * kLength;
    train.steps.push_back({begin + 10, begin + kLength});
    const bool cut = i % 3 == 1;  // in the step
    windows.push_back({begin, begin + kLength - (cut ? 10 : 0), 1, true, i % 3 != 2, ProcessId{1}});
    windows.push_back({begin, begin + kLength, 1, true, true, ProcessId{2}});
  }
  std::reverse(windows.begin(), windows.end());
  profile.phases.trains.push_back(train);
  const std::clock_t begin = std::clock();
  const std::vector<ReplayWindow> pieces = ReplayWindows(profile, windows);
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 10);
  REQUIRE(pieces.size() == kMany / 3);
  CHECK(pieces.front().bounds == std::vector<HostNs>{10, kLength});
  CHECK(pieces.back().bounds.front() == (kMany - 3) * kLength + 10);
}

TEST_CASE("without steps the passes of a loop stand for them, and the answer says so") {
  MadeRecording made = Waiting();
  made.profile.phases = {};
  const WhatIfAnswer answer = Ask(made, "scale gemm 0.5");
  CHECK(answer.then.step_ns == 600'000);
  CHECK(answer.steps == 19);
  CHECK(answer.assumed.at(0).find("step (train.py:12)") != std::string::npos);
}

TEST_CASE("a loop around the steps is none, whatever it launches itself") {
  MadeRecording made;
  const NodeId step = made.Path("step", 12), epoch = made.Path("epoch", 20);
  const NodeId log = made.Kernel("log", epoch);
  std::vector<NodeId> kernels;
  for (int i = 0; i < 10; ++i) kernels.push_back(made.Kernel("gemm_" + std::to_string(i), step));
  for (int64_t at = 0; at < 60'000; at += 1000) {
    int64_t launch = at + 5;
    for (const NodeId kernel : kernels) {
      made.Run(kernel, launch, launch + 10, 80);
      launch += 90;
    }
    if (at % 5000 == 0) made.Run(log, launch, launch + 10, 1);
  }
  const WhatIfAnswer answer = Ask(made, "scale gemm 0.5");
  CHECK(answer.steps == 59);
  CHECK(answer.recorded_ns == 1'000'000);
  CHECK(answer.assumed.at(0).find("step (train.py:12)") != std::string::npos);
}

TEST_CASE("passes lie within the times in which records were made") {
  MadeRecording made = Waiting();
  made.profile.phases = {};
  const ProcessId process = made.profile.thread(made.events.operations.at(0).thread).process;
  std::vector<LevelWindow> windows;
  for (int64_t i = 0; i < 4; ++i) {  // five passes each, a pause of records between them
    const HostNs begin = i * 5'000'000;
    windows.push_back({begin, begin + 4'990'000, 5, true, true, process});
    windows.push_back({begin + 4'990'000, begin + 5'000'000, 0, true, false, process});
  }
  const Result<WhatIfChange> change = ParseWhatIf("scale gemm 0.5");
  const auto ask = [&] {
    return AnswerWhatIf(made.profile, made.events, windows, std::span(&*change, 1));
  };
  CHECK(ask().steps == 16);  // a pass that a pause lies in is none
  CHECK(ask().recorded_ns == 1'000'000);
  CHECK(ask().then.step_ns == 600'000);
  CHECK(ask().assumed.at(0).find("step (train.py:12)") != std::string::npos);
  made.Steps({0, 10'000, 20'000});  // no window holds one: a loop within them is no answer
  CHECK(ask().reason.find("no whole step has records of all its GPU work") != std::string::npos);
  made.profile.phases = {};
  for (LevelWindow& window : windows) window.traced = false;
  CHECK(ask().reason.find("no steps were found") != std::string::npos);
}

TEST_CASE("times of the host are shortened until a step takes what it is said to take") {
  const MadeRecording made = Waiting();
  const Result<WhatIfChange> change = ParseWhatIf("scale gemm 0.5");
  HostTimes host;
  host.step_ns = 900'000;  // half of the host's 200 us
  const WhatIfAnswer answer =
      AnswerWhatIf(made.profile, made.events, {}, std::span(&*change, 1), host);
  CHECK(answer.recorded_ns == 1'000'000);
  CHECK(answer.now.step_ns == Approx(900'000).epsilon(0.001));
  CHECK(answer.then.step_ns == Approx(500'000).epsilon(0.002));
  host.step_ns = 700'000;
  CHECK(AnswerWhatIf(made.profile, made.events, {}, std::span(&*change, 1), host)
            .reason.find("the GPU alone needs") != std::string::npos);
}

}  // namespace gprofx::testing
