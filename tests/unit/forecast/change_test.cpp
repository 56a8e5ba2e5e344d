// Another batch and another number type than the recorded ones.
#include "core/forecast/run_change.h"

#include <catch2/catch.hpp>

#include "../replay/made_recording.h"
#include "core/forecast/run_forecast.h"
#include "known.h"

namespace gprofx::testing {
using namespace gprofx::forecast;
namespace {

// Twenty steps: a product, an addition, an addition of the optimizer; each alone after a launch.
struct Program {
  Program(uint32_t product_blocks, int64_t us) {
    for (const uint32_t grid : {product_blocks, 4096u}) {
      GpuKernelConfig config;
      config.grid[0] = grid;
      config.grid[1] = config.grid[2] = 1;
      made.profile.gpu.configs.push_back(config);
    }
    const NodeId path = made.Path("forward");
    const FunctionId function = [&] {
      Function row;
      row.name = made.profile.Intern("SGD.step");
      row.file = made.profile.Intern("/site-packages/torch/optim/sgd.py");
      return made.profile.Intern(row);
    }();
    Frame frame;
    frame.kind = FrameKind::kPython;
    frame.function = function;
    const NodeId optimizer = made.profile.Child(path, made.profile.Intern(frame));
    const NodeId gemm = made.Kernel(kGemm, path), add = made.Kernel(kAdd, path),
                 update = made.Kernel(kAdd, optimizer);
    std::vector<int64_t> bounds;
    for (int64_t i = 0; i < 20; ++i) {
      const int64_t now = i * 10'000;
      bounds.push_back(now);
      made.Run(gemm, now, now + 10, us).config = GpuConfigId{1};
      made.Run(add, now + 1, now + 3'000, us).config = GpuConfigId{2};
      made.Run(update, now + 2, now + 6'000, us).config = GpuConfigId{2};
    }
    bounds.push_back(200'000);
    made.Steps(bounds);
  }

  RecordedForecast Ask(const RunChange& change, const char* target = "H100") const {
    const RecordedKernels kernels(made.profile, made.events);
    const RecordedRun run(made.profile, made.events, kernels, {});
    REQUIRE(run.reason().empty());
    RunOptions options;
    options.change = change;
    return run.Forecast(BuiltInTable(), Known("H100"), Known(target), options);
  }
  // Microseconds a step of all work.
  double Work(const RunChange& change, const char* target = "H100") const {
    return static_cast<double>(Ask(change, target).work_then_ns) / 1000;
  }

  MadeRecording made;
};

}  // namespace

TEST_CASE("no other batch, no other type: what was recorded") {
  const Program program(4096, 1000);
  const RecordedForecast same = program.Ask({});
  CHECK(same.step_ns == same.recorded_ns);
  CHECK(same.low_ns == same.high_ns);
  CHECK(program.Work({1, NumberType::kBf16}) < 3'000);  // additions of floats alone get shorter
}

TEST_CASE("twice the batch is twice the work, but not that of the optimizer") {
  CHECK(Program(4096, 1000).Work({2, {}}) == Approx(5'000).epsilon(0.01));
  CHECK(Program(4096, 1000).Work({0.5, {}}) == Approx(2'000).epsilon(0.01));
  // Then the GPU is the limit of a step that the host took 10 ms for.
  const RecordedForecast twice = Program(4096, 2'900).Ask({2, {}});
  CHECK(twice.step_ns == Approx(14'500'000).epsilon(0.02));
  CHECK(twice.low_ns < twice.step_ns);
  CHECK(twice.high_ns > twice.step_ns);
  REQUIRE(!twice.assumed.empty());
  CHECK(twice.assumed[0].find("batch") != std::string::npos);
}

TEST_CASE("blocks that idle multiprocessors can take cost nothing") {
  // 66 blocks of 132: either twice as many blocks, or blocks that take twice as long.
  const double work = Program(66, 1000).Work({2, {}});
  CHECK(work == Approx(4'500).epsilon(0.02));
  // Half of them are not faster, half of the reduction is.
  CHECK(Program(66, 1000).Work({0.5, {}}) == Approx(2'250).epsilon(0.02));
}

TEST_CASE("a number type changes products by their rate and floats by their size") {
  const double f32 = Program(4096, 1000).Work({1, NumberType::kFp32});
  CHECK(f32 > 2'000 + 1000 * 10);  // H100: 51 against 760 TFLOP/s
  const double fp8 = Program(4096, 1000).Work({1, NumberType::kFp8});
  CHECK(fp8 < 1'000 + 800);  // products and quantising, floats as 16 bits
  CHECK(fp8 > 1'000 + 600);
  // On another GPU, too.
  CHECK(Program(4096, 1000).Work({1, NumberType::kFp32}, "B200") < f32);
}

TEST_CASE("FP8 is as much faster wherever it was recorded, and back") {
  const Device &h100 = Known("H100"), &a100 = Known("A100");
  RecordedKernel what;
  what.computes = true;
  const auto time = [&](const Device& device, NumberType from, bool tf32, NumberType to) {
    MeasuredKernel kernel;
    kernel.ms = 1;
    kernel.floor_ms = 0;
    kernel.type = from;
    what.tf32 = tf32;
    return Changed(kernel, what, 0, true, {1, to}, device).kernel.ms;
  };
  constexpr auto kBf16 = NumberType::kBf16, kFp8 = NumberType::kFp8, kFp32 = NumberType::kFp32;
  CHECK(time(a100, kBf16, false, kFp8) == Approx(time(h100, kBf16, false, kFp8)));
  CHECK(time(h100, kFp8, false, kBf16) == Approx(1 / time(h100, kBf16, false, kFp8)));
  // TF32 has half the rate of bfloat16.
  CHECK(time(h100, kBf16, true, kBf16) == Approx(0.52).epsilon(0.02));
  CHECK(time(h100, kBf16, true, kFp32) < 0.6 * time(h100, kBf16, false, kFp32));
}

TEST_CASE("a product of a block for each multiprocessor goes on with what there is, others stop") {
  MeasuredKernel kernel;
  kernel.ms = 1;
  RecordedKernel what;
  const auto half = [&](bool product, double blocks) {
    what.computes = product;
    return Changed(kernel, what, blocks, true, {0.5, {}}, Known("H100")).kernel.ms;
  };
  CHECK(half(true, 132) == Approx(0.5).epsilon(0.01));
  CHECK(half(false, 132) == Approx(1));
  CHECK(half(false, 131) == Approx(half(false, 100)));
  CHECK(half(false, 1320) == Approx(0.5).epsilon(0.01));
}

TEST_CASE("words of number types") {
  for (const NumberType type : {NumberType::kFp32, NumberType::kBf16, NumberType::kFp8}) {
    CHECK(NumberTypeOf(NumberTypeWord(type)) == type);
  }
  CHECK(!NumberTypeOf("f33"));
}

}  // namespace gprofx::testing
