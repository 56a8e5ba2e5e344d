// Laws of forecasts of recordings: on random recordings, and what becomes of single kinds of work.
#include "core/forecast/run_forecast.h"

#include <catch2/catch.hpp>
#include <random>

#include "../replay/made_recording.h"
#include "core/forecast/run_carrier.h"
#include "core/forecast/run_levels.h"
#include "known.h"

namespace gprofx::testing {
using namespace gprofx::forecast;
namespace {

constexpr char kReduce[] =
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
constexpr char kNorm[] =
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, "
    "false>("
    "int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, "
    "c10::BFloat16*)";
constexpr char kOwn[] = "who_knows";

// Twenty steps of kernels of all kinds, copies, waits and two threads.
MadeRecording Random(unsigned seed) {
  std::mt19937 random(seed);
  const auto upto = [&](int most) { return static_cast<int64_t>(random() % (most + 1)); };
  MadeRecording made;
  const NodeId path = made.Path("step");
  const NodeId kernels[] = {made.Kernel(kAdd, path), made.Kernel(kGemm, path),
                            made.Kernel(kReduce, path), made.Kernel(kOwn, path)};
  for (const uint32_t grid : {1u, 40u, 4096u}) {
    GpuKernelConfig config;
    config.grid[0] = grid;
    config.grid[1] = config.grid[2] = 1;
    made.profile.gpu.configs.push_back(config);
  }
  int64_t now = 100;
  std::vector<int64_t> free(4, 0), bounds;
  for (int step = 0; step < 20; ++step) {
    bounds.push_back(now);
    for (int i = 0; i < 12; ++i) {
      now += 2 + upto(30);
      const auto stream = static_cast<uint32_t>(1 + upto(2));
      const int64_t start = std::max(now + 5, free[stream] + 1), length = 1 + upto(60);
      if (upto(5) == 0) {
        const auto kind = static_cast<uint8_t>(1 + upto(2));
        made.Copy(path, kind, static_cast<uint8_t>(1 + upto(1)), 3, upto(200'000), now, start,
                  length);
        free[1] = std::max(free[1], start + length);
      } else {
        ReplayOperation& row = made.Run(kernels[upto(3)], now, start, length, stream,
                                        ThreadId{static_cast<uint32_t>(1 + upto(1))});
        row.config = GpuConfigId{static_cast<uint32_t>(upto(3))};
        free[stream] = start + length;
      }
      if (upto(6) == 0) {
        const int64_t end = std::max({now + 2, free[1] + 3, free[2] + 3});
        made.Wait(path, now + 1, end);
        now = end;
      }
    }
  }
  bounds.push_back(std::max({now, free[1], free[2], free[3]}) + 10);
  made.Steps(bounds);
  return made;
}

RecordedForecast Ask(const MadeRecording& made, const Device& source, const Device& target,
                     double host_speed = 1) {
  const RecordedKernels kernels(made.profile, made.events);
  const RecordedRun run(made.profile, made.events, kernels, {});
  REQUIRE(run.reason().empty());
  return run.Forecast(BuiltInTable(), source, target, {{}, host_speed, 2});
}

// A device that is faster in all rates, with as many multiprocessors.
Device Faster(Device device, double times) {
  for (double Device::*rate :
       {&Device::fp32, &Device::bf16, &Device::fp8, &Device::bandwidth, &Device::l2_mb,
        &Device::link, &Device::pcie, &Device::gemm32, &Device::copy, &Device::gemm16}) {
    device.*rate *= times;
  }
  device.name += "-faster";
  return device;
}

// A recording of one operation in each of two steps; its time there in us.
int64_t There(const char* kernel, int64_t us, const char* target, uint32_t grid = 4096) {
  MadeRecording made;
  GpuKernelConfig config;
  config.grid[0] = grid;
  config.grid[1] = config.grid[2] = 1;
  made.profile.gpu.configs.push_back(config);
  const NodeId node = made.Kernel(kernel, made.Path("step"));
  made.Run(node, 10, 20, us).config = GpuConfigId{1};
  const RecordedKernels kernels(made.profile, made.events);
  RunCarrier carrier(made.profile, kernels, BuiltInTable(), Known("H100"), Known(target), 2);
  return carrier.Carry(made.events.operations[0]).ns / 1000;
}

}  // namespace

TEST_CASE("on its own device a recording takes what was recorded, to the nanosecond") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const MadeRecording made = Random(seed);
    for (const char* device : {"H100", "T4", "MI300X"}) {
      const RecordedForecast same = Ask(made, Known(device), Known(device));
      INFO("seed " << seed << " on " << device);
      CHECK(same.step_ns == same.recorded_ns);
      CHECK(same.low_ns == same.recorded_ns);
      CHECK(same.high_ns == same.recorded_ns);
      CHECK(same.work_then_ns == same.work_now_ns);
      CHECK(same.limit_then == same.limit_now);
      CHECK(same.untold.empty());
    }
  }
}

TEST_CASE("a device that is faster in all rates is never slower") {
  const char* const names[] = {"H100", "T4", "L40S", "A100", "B200"};
  for (unsigned seed = 0; seed < 60; ++seed) {
    const MadeRecording made = Random(seed);
    const Device& source = Known(names[seed % 5]);
    const Device &target = Known(names[seed / 5 % 5]),
                 faster = Faster(target, 1 + 0.1 * (seed % 9 + 1));
    INFO("seed " << seed);
    const RecordedKernels kernels(made.profile, made.events);
    RunCarrier slow(made.profile, kernels, BuiltInTable(), source, target, 2);
    RunCarrier fast(made.profile, kernels, BuiltInTable(), source, faster, 2);
    for (const ReplayOperation& operation : made.events.operations) {
      CHECK(fast.Carry(operation).ns <= slow.Carry(operation).ns);
    }
    const RecordedForecast there = Ask(made, source, target), sooner = Ask(made, source, faster);
    CHECK(sooner.step_ns <= there.step_ns);
    for (const RecordedForecast* forecast : {&there, &sooner}) {
      CHECK(forecast->low_ns <= forecast->step_ns);
      CHECK(forecast->step_ns <= forecast->high_ns);
    }
  }
}

TEST_CASE("a host that is twice as fast is never slower") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const MadeRecording made = Random(seed);
    INFO("seed " << seed);
    const RecordedForecast one = Ask(made, Known("H100"), Known("H200"));
    const RecordedForecast two = Ask(made, Known("H100"), Known("H200"), 2);
    CHECK(two.step_ns <= one.step_ns);
  }
}

TEST_CASE("work scales with what limits it") {
  // H200 has H100's arithmetic, less of its power for it, and 1.42 times its sustained rate of
  // memory.
  CHECK(There(kGemm, 1000, "H200") == Approx(1059).epsilon(0.01));
  CHECK(There(kAdd, 1000, "H200") == Approx(1000 / 1.417).epsilon(0.01));
  CHECK(There(kOwn, 1000, "H200") == Approx(1000 / std::sqrt(1.417)).epsilon(0.03));
  // A norm waits for other things than memory most of the time.
  CHECK(There(kNorm, 1000, "H200") == Approx(1000 * std::pow(1.417, -0.1)).epsilon(0.01));
  // A T4 computes 20 times more slowly, and moves 12 times less.
  CHECK(There(kGemm, 1000, "T4") > 15'000);
  CHECK(There(kAdd, 1000, "T4") == Approx(12'000).epsilon(0.1));
  // What a block does alone no rate explains.
  CHECK(There(kAdd, 100, "H200", 1) >= 98);
  // A launch is a launch.
  CHECK(There(kAdd, 2, "B200") == 2);
  // What L2 holds does not come from memory: 30 us are 216 MB at most on an H100.
  CHECK(There(kAdd, 5, "L40S") < 5 * 2900 / 717);
}

// 4,096 blocks of 128 threads with 8 bfloat16 each: 4 MiB elements, read and written.
TEST_CASE("an elementwise kernel that does not move its bytes as fast as it could computes") {
  constexpr char kGelu[] =
      "void at::native::vectorized_elementwise_kernel<8, "
      "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
      "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::"
      "{lambda(c10::BFloat16)#1}, std::array<char*, 2ul> >(int, "
      "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
      "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::"
      "{lambda(c10::BFloat16)#1}, std::array<char*, 2ul>)";
  const auto there = [&](int64_t us) {
    MadeRecording made;
    GpuKernelConfig config;
    config.grid[0] = 1 << 16;
    config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
    config.block[0] = 128;
    made.profile.gpu.configs.push_back(config);
    made.Run(made.Kernel(kGelu, made.Path("step")), 10, 20, us).config = GpuConfigId{1};
    const RecordedKernels kernels(made.profile, made.events);
    RunCarrier carrier(made.profile, kernels, BuiltInTable(), Known("H100"), Known("H200"), 2);
    return static_cast<double>(carrier.Carry(made.events.operations[0]).ns) / 1000;
  };
  // 64 Mi elements are 268 MB: 93 us at the 2,900 GB/s of an H100.
  CHECK(there(95) == Approx(95 / 1.417).epsilon(0.06));
  CHECK(there(250) == Approx(250).epsilon(0.02));
  CHECK(there(130) < 128);
  CHECK(there(130) > 130 / 1.417);
}

TEST_CASE("copies go by their link, and the host's stay") {
  MadeRecording made;
  const NodeId path = made.Path("step");
  made.Copy(path, cupti::kHostToDevice, cupti::kPinned, 3, 54'000'000, 10, 20, 1000);
  made.Copy(path, cupti::kHostToDevice, cupti::kPageable, 3, 54'000'000, 10, 1020, 1000);
  made.Copy(path, 8, 3, 3, 1 << 30, 10, 2020, 1000);
  const RecordedKernels kernels(made.profile, made.events);
  RunCarrier carrier(made.profile, kernels, BuiltInTable(), Known("H100"), Known("A100"), 2);
  const auto us = [&](size_t i) { return carrier.Carry(made.events.operations[i]).ns / 1000; };
  CHECK(us(0) == Approx(2000).epsilon(0.01));  // half the lanes' rate
  CHECK(us(1) == 1000);
  CHECK(us(2) == Approx(1000.0 * 2970 / 1700).epsilon(0.02));
  CHECK(carrier.What(made.events.operations[0]) == Untold::kNo);
  CHECK(carrier.What(made.events.operations[1]) == Untold::kPageable);
}

TEST_CASE("collectives take longer on slower links, large ones in proportion") {
  CHECK(There(kReduce, 10'000, "A100") == Approx(10'000 * 450 / 300).epsilon(0.25));
  CHECK(There(kReduce, 10'000, "B200") < 6'000);
  CHECK(There(kReduce, 10'000, "L40S") > 50'000);
}

TEST_CASE("shapes of an operator tell the work of its product") {
  MadeRecording made;
  Function row;
  row.name = made.profile.Intern("aten::mm");
  Frame frame;
  frame.kind = FrameKind::kOperator;
  frame.function = made.profile.Intern(row);
  const NodeId op = made.profile.Child(made.Path("step"), made.profile.Intern(frame));
  const NodeId kernel = made.Kernel(kGemm, op);
  for (int64_t i = 0; i < 4; ++i) made.Run(kernel, 100 * i, 100 * i + 10, 50);
  const MetricId flop = made.profile.AddMetric(kMetricOperatorFlop, "", MetricKind::kExact);
  const MetricId bytes = made.profile.AddMetric(kMetricOperatorBytes, "bytes", MetricKind::kExact);
  made.profile.AddSelf(op, ThreadId{1}, flop, 4'000'000);
  made.profile.AddSelf(op, ThreadId{1}, bytes, 400'000'000);
  const RecordedKernels kernels(made.profile, made.events);
  const RecordedKernel& found = kernels.At(kernel);
  CHECK(found.source == WorkSource::kShapes);
  CHECK(found.flop == 1'000'000);
  CHECK(found.bytes == 100'000'000);
  CHECK(found.type == NumberType::kBf16);
  // So few operations on so many bytes: memory is the limit, whatever the name says.
  RunCarrier carrier(made.profile, kernels, BuiltInTable(), Known("H100"), Known("H200"), 2);
  const CarriedWork there = carrier.Carry(made.events.operations[0]);
  CHECK(there.bound == KernelBound::kMemory);
  CHECK(there.ns / 1000 == Approx(50 / 1.417).epsilon(0.06));
}

TEST_CASE("layers and operators take together what all kernels take") {
  MadeRecording made;
  const auto native = [&](NodeId parent, const char* name) {
    Function function;
    function.name = made.profile.Intern(name);
    Frame frame;
    frame.kind = FrameKind::kNative;
    frame.function = made.profile.Intern(function);
    return made.profile.Child(parent, made.profile.Intern(frame));
  };
  const NodeId step = made.Path("step");
  const NodeId mm = native(step, "at::_ops::mm::call(at::Tensor const&, at::Tensor const&)");
  made.Run(made.Kernel(kGemm, mm), 10, 20, 100);
  made.Run(made.Kernel(kAdd, step), 130, 140, 50);
  made.Steps({0, 400});
  const RecordedForecast forecast = Ask(made, Known("H100"), Known("L4"));
  const RunLevels levels(made.profile, made.events, {});
  const std::vector<RunLevel> rows = levels.Of(forecast, Level::kOperator);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "mm");
  CHECK(rows[0].now_ns == 100'000);
  CHECK(rows[1].name.empty());
  CHECK(rows[1].now_ns == 50'000);
  CHECK(rows[0].then_ns + rows[1].then_ns == forecast.work_then_ns);
  CHECK(levels.Of(forecast, Level::kLayer).empty());  // nothing lies in one
}

TEST_CASE("a faster GPU makes a step that the host limits; unknown work is named with its share") {
  MadeRecording made;
  const NodeId path = made.Path("step");
  const NodeId add = made.Kernel(kAdd, path), own = made.Kernel(kOwn, path);
  std::vector<int64_t> bounds;
  for (int64_t i = 0; i < 20; ++i) {
    bounds.push_back(i * 1000);
    // Each begins when the one before it ends, long after its launch.
    made.Run(add, i * 1000 + 100, i * 1000 + 406, 700);
    made.Run(own, i * 1000 + 200, i * 1000 + 1106, 300);
  }
  bounds.push_back(20'000);
  made.Steps(bounds);
  const RecordedForecast slow = Ask(made, Known("H100"), Known("H100"));
  CHECK(slow.limit_now == "gpu");
  CHECK(slow.recorded_ns == Approx(1'000'000).epsilon(0.01));
  const RecordedForecast fast = Ask(made, Known("H100"), Known("B200"));
  CHECK(fast.step_ns == Approx(1'000'000).epsilon(0.02));
  CHECK(fast.limit_then == "host");
  REQUIRE(fast.untold.size() == 1);
  CHECK(fast.untold[0].what.find(kOwn) != std::string::npos);
  CHECK(fast.untold[0].share > 0.2);
  CHECK(fast.untold[0].share < 0.5);
  const RecordedForecast both = Ask(made, Known("H100"), Known("B200"), 4);
  CHECK(both.step_ns < 600'000);
  int64_t parts = 0;
  for (const RunPart& part : both.parts) parts += part.then_ns;
  CHECK(parts == Approx(both.step_ns).epsilon(0.001));
}

}  // namespace gprofx::testing
