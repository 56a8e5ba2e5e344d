// Why GPUs idle, step by step: made-up hosts whose stalls are known.
#include <catch2/catch.hpp>

#include "core/gpu/level_windows.h"
#include "core/variability/step_parts.h"
#include "synthetic.h"

using namespace gprofx;
using namespace gprofx::variability;

namespace {

constexpr int64_t kUs = 1000, kMs = 1'000'000;

// A kernel of 600 us in each step of 1 ms; what comes before it is idle, and the host says why.
struct Steps {
  Recording recording;
  ProcessHost host;
  int64_t now = 0;

  Steps() { recording.Group("kernel"); }

  // Of `idle` the host is in samples of `what`, one each 100 us.
  void Add(int64_t idle, HostClass what) {
    for (int64_t at = 0; at < idle; at += 100 * kUs) {
      host.samples.push_back({now + at, now + std::min(at + 100 * kUs, idle), what});
    }
    End(idle);
  }
  void AddWait(int64_t idle, uint32_t call) {
    host.waits.push_back({now, now + idle + 300 * kUs, call});  // also while the GPU works
    End(idle);
  }
  void AddSilent(int64_t idle) { End(idle); }

  Recording Make() {
    recording.facts.processes.push_back(steps_);
    recording.facts.tells_idle = true;
    recording.host.processes.push_back(host);
    return recording;
  }

 private:
  void End(int64_t idle) {
    recording.Add(0, now + idle, 600 * kUs);
    steps_.steps.push_back({now, now + idle + 600 * kUs});
    now += idle + 600 * kUs;
  }
  ProcessSteps steps_;
};

const StepPart* PartOf(const Model& model, const std::string& name) {
  for (const StepPart& part : model.steps.parts) {
    if (part.name == name) return &part;
  }
  return nullptr;
}

double ShareOf(const Model& model, const std::string& name) {
  const StepPart* part = PartOf(model, name);
  return part == nullptr ? 0 : part->share;
}

double SumOfShares(const Model& model) {
  double sum = 0;
  for (const StepPart& part : model.steps.parts) sum += part.share;
  return sum;
}

}  // namespace

TEST_CASE("a data loader that stalls every tenth step has all of the variance, Python has none") {
  Steps steps;
  for (int i = 0; i < 100; ++i) {
    steps.Add(i % 10 == 9 ? 2 * kMs : 100 * kUs, HostClass::kDataLoading);
    // Python runs while the GPU works, and that only.
    steps.host.samples.push_back({steps.now - 500 * kUs, steps.now, HostClass::kPython});
  }
  const Model model = ModelOf({{"a", steps.Make()}});
  REQUIRE(model.steps.steps == 100);
  CHECK(PartOf(model, "idle.python") == nullptr);
  CHECK(ShareOf(model, "idle.data_loading") == Approx(1));
  CHECK(PartOf(model, "idle.data_loading")->median_ns == 100 * kUs);
  CHECK(SumOfShares(model) == Approx(1));
  CHECK(model.steps.parts.back().name == kUnexplainedPart);
  CHECK(model.steps.parts.back().share == Approx(0).margin(1e-9));
  REQUIRE(model.steps.lanes.size() == 1);
  CHECK(model.steps.lanes[0].shares[kParts] == Approx(1));
}

TEST_CASE(
    "a late launch is that of Python or of native code, each with its share of the variance") {
  // 0 or 400 us of Python, 0 or 200 us of native code, independent: variances 4 to 1.
  Steps steps;
  for (int i = 0; i < 64; ++i) {
    const int64_t python = i % 2 * 400 * kUs, native = i / 2 % 2 * 200 * kUs;
    if (python > 0) {
      steps.host.samples.push_back({steps.now, steps.now + python, HostClass::kPython});
    }
    if (native > 0) {
      steps.host.samples.push_back(
          {steps.now + python, steps.now + python + native, HostClass::kNative});
    }
    steps.AddSilent(python + native + 50 * kUs);
  }
  const Model model = ModelOf({{"a", steps.Make()}});
  CHECK(ShareOf(model, "idle.python") == Approx(0.8));
  CHECK(ShareOf(model, "idle.native") == Approx(0.2));
  CHECK(PartOf(model, kUnexplainedPart)->median_ns == 50 * kUs);
}

TEST_CASE("waiting calls count before full queues and samples, and only while nothing is busy") {
  Steps steps;
  steps.recording.host.calls = {"cuStreamSynchronize", "cuEventSynchronize", kNoRecords};
  for (int i = 0; i < 40; ++i) {
    const int64_t begin = steps.now, idle = (100 + i % 4 * 100) * kUs;
    // Two calls at a time: the first by name counts. Samples below them explain nothing.
    steps.host.waits.push_back({begin, begin + 60 * kUs, 1});
    steps.host.queue_full.push_back({begin, begin + 80 * kUs});
    steps.host.samples.push_back({begin, begin + 80 * kUs, HostClass::kCudaCall});
    steps.host.waits.push_back({begin + 60 * kUs, begin + 70 * kUs, 2});
    steps.AddWait(idle - 20 * kUs, 0);
    steps.now += 20 * kUs;  // between steps: nobody asks why
  }
  const Model model = ModelOf({{"a", steps.Make()}});
  CHECK(PartOf(model, "idle.sync.cuEventSynchronize")->median_ns == 60 * kUs);
  CHECK(PartOf(model, "idle.sync.time without records")->median_ns == 10 * kUs);
  CHECK(PartOf(model, kQueueFullPart) == nullptr);
  CHECK(PartOf(model, "idle.cuda_call") == nullptr);
  CHECK(ShareOf(model, "idle.sync.cuStreamSynchronize") == Approx(1));
  CHECK(PartOf(model, kUnexplainedPart)->median_ns == 0);
}

TEST_CASE("samples of several threads explain no more than there was") {
  Steps steps;
  for (int i = 0; i < 20; ++i) {
    const int64_t begin = steps.now, idle = (100 + i * 10) * kUs;
    for (int thread = 0; thread < 3; ++thread) {
      const HostClass what = thread == 0 ? HostClass::kPython : HostClass::kNative;
      steps.host.samples.push_back({begin, begin + idle, what});
    }
    steps.AddSilent(idle);
  }
  const Model model = ModelOf({{"a", steps.Make()}});
  CHECK(ShareOf(model, "idle.python") == Approx(1 / 3.0).epsilon(0.001));
  CHECK(ShareOf(model, "idle.native") == Approx(2 / 3.0).epsilon(0.001));
  CHECK(PartOf(model, kUnexplainedPart)->median_ns == 0);
}

TEST_CASE("each rank idles by its own causes; of one that tells nothing it is unexplained") {
  Steps loader, python, silent;
  for (int i = 0; i < 40; ++i) {
    loader.Add(i % 5 * 100 * kUs, HostClass::kDataLoading);
    python.Add(i % 4 * 100 * kUs, HostClass::kPython);
    silent.AddSilent(i % 3 * 100 * kUs);
  }
  Recordings files = {{"a", loader.Make()}, {"b", python.Make()}, {"c", silent.Make()}};
  files["c"].facts.tells_idle = false;
  const Model model = ModelOf(files);
  REQUIRE(model.steps.lanes.size() == 3);
  const auto share = [&](uint32_t lane, const std::string& name) {
    for (const LaneSteps& row : model.steps.lanes) {
      for (size_t i = 0; i < model.steps.parts.size(); ++i) {
        if (row.lane == lane && model.steps.parts[i].name == name) return row.shares[i];
      }
    }
    return -1.0;
  };
  CHECK(share(0, "idle.data_loading") == Approx(1));
  CHECK(share(1, "idle.python") == Approx(1));
  CHECK(share(2, kUnexplainedPart) == Approx(1));
  CHECK(share(1, "idle.data_loading") == Approx(0).margin(1e-9));
  for (auto& [path, file] : files) file.facts.tells_idle = false;
  REQUIRE(ModelOf(files).steps.parts.size() == 4);
  CHECK(ModelOf(files).steps.parts[3].name == kIdle);
}

TEST_CASE("calls with less time than others share a part") {
  Steps steps;
  for (uint32_t call = 0; call < 12; ++call) {
    steps.recording.host.calls.push_back("cuWait" + std::to_string(call));
  }
  for (int i = 0; i < 120; ++i) {
    const auto call = static_cast<uint32_t>(i % 12);
    steps.AddWait((10 + call) * kUs, call);
  }
  const Model model = ModelOf({{"a", steps.Make()}});
  // Three parts that are busy, those with a name, the others, unexplained.
  CHECK(model.steps.parts.size() == kParts + kMaxWaits + 2);
  CHECK(PartOf(model, "idle.sync.cuWait11") != nullptr);
  CHECK(PartOf(model, "idle.sync.cuWait4") != nullptr);
  CHECK(PartOf(model, "idle.sync.cuWait3") == nullptr);
  REQUIRE(PartOf(model, kOtherCauses) != nullptr);
  CHECK(SumOfShares(model) == Approx(1));
}
