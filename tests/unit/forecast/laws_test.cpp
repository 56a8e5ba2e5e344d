// What holds for every forecast, whatever was learned: over shapes and devices drawn by a fixed
// generator.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "core/forecast/collective.h"
#include "core/forecast/kernel.h"
#include "core/forecast/tensor.h"

namespace gprofx::testing {
using namespace gprofx::forecast;
namespace {

constexpr int kDraws = 3000;
constexpr double kRounding = 1 + 1e-12;

class Draw {
 public:
  double Size(double most) {
    return std::floor(std::exp2(std::uniform_real_distribution<>(0, std::log2(most))(engine_)));
  }
  const Device& AnyDevice() {
    const auto& devices = BuiltInDevices();
    return devices[engine_() % devices.size()];
  }
  KernelWork Work() {
    switch (engine_() % 6) {
      case 0:
        return ProductWork(WorkFamily::kLinear, NumberType::kFp32, 1, Size(65536), Size(65536),
                           Size(65536));
      case 1:
        return ProductWork(WorkFamily::kBatchedProduct, NumberType::kFp32, Size(2048), Size(4096),
                           Size(4096), Size(4096));
      case 2: {
        KernelWork work = ElementwiseWork("add", Size(1e6), Size(16384));
        if (Pick(2) == 0) {
          work.broadcast = Size(work.m * work.k);
          work.inputs = 1 + work.broadcast / (work.m * work.k);
        }
        return work;
      }
      case 3:
        return RowWork(WorkFamily::kSoftmax, Size(1e6), Size(16384));
      case 4:
        return RowWork(WorkFamily::kNorm, Size(1e6), Size(16384));
      default:
        return CopyWork(Size(1e10));
    }
  }
  size_t Pick(size_t count) { return engine_() % count; }

 private:
  std::mt19937 engine_{20};
};

double Ms(const Device& device, const KernelWork& work) {
  return Forecaster(BuiltInTable(), device).KernelMs(work, true);
}

}  // namespace

TEST_CASE("more work never takes less time") {
  Draw draw;
  for (int i = 0; i < kDraws; ++i) {
    const Device& device = draw.AnyDevice();
    const KernelWork work = draw.Work();
    const double ms = Ms(device, work);
    for (double KernelWork::*size :
         {&KernelWork::b, &KernelWork::m, &KernelWork::n, &KernelWork::k}) {
      for (const double more : {work.*size + 1, std::ceil(work.*size * 1.7)}) {
        KernelWork larger = work;
        larger.*size = more;
        INFO(device.name << " " << WorkFamilyWord(work.family) << " " << work.b << " " << work.m
                         << " " << work.n << " " << work.k << " -> " << more);
        CHECK(Ms(device, larger) * kRounding >= ms);
      }
    }
  }
}

TEST_CASE("more FLOP/s, bandwidth or L2 never takes more time") {
  Draw draw;
  for (int i = 0; i < kDraws; ++i) {
    const Device& device = draw.AnyDevice();
    const KernelWork work = draw.Work();
    const double ms = Ms(device, work);
    for (const double factor : {1.1, 3.0}) {
      Device faster = device;
      faster.fp32 *= factor;
      faster.gemm32 *= factor;
      CHECK(Ms(faster, work) <= ms * kRounding);
      faster = device;
      faster.bandwidth *= factor;
      faster.copy *= factor;
      CHECK(Ms(faster, work) <= ms * kRounding);
      faster = device;
      faster.l2_mb *= factor;
      CHECK(Ms(faster, work) <= ms * kRounding);
    }
  }
}

TEST_CASE("nothing is faster than the roofline with its L2 term, and intervals hold the forecast") {
  Draw draw;
  for (int i = 0; i < kDraws; ++i) {
    const Device& device = draw.AnyDevice();
    KernelWork work = draw.Work();
    if (work.family == WorkFamily::kLinear && i % 2 == 0) {
      work.family = WorkFamily::kTensorProduct;
      work.type = i % 4 == 0 ? NumberType::kBf16 : NumberType::kFp8;
    }
    const Forecaster forecaster(BuiltInTable(), device);
    for (const bool alone : {false, true}) {
      const KernelForecast forecast = forecaster.Kernel(work, alone);
      const double least = RooflineMs(work, forecaster.rates(work.type));
      CHECK(forecast.ms >= least);
      CHECK(forecast.low_ms >= least / kRounding);
      CHECK(forecast.low_ms <= forecast.ms);
      CHECK(forecast.high_ms >= forecast.ms);
      CHECK(std::isfinite(forecast.high_ms));
    }
  }
}

TEST_CASE("on the device that it was measured on, a kernel takes its measured time exactly") {
  Draw draw;
  for (int i = 0; i < kDraws; ++i) {
    const Device& device = draw.AnyDevice();
    const KernelWork work = draw.Work();
    MeasuredKernel kernel;
    kernel.ms = draw.Size(1e6) / 977;
    kernel.family = work.family;
    if (i % 3 != 0) {
      kernel.flop = work.Flop();
      kernel.bytes = work.Bytes();
    }
    const KernelForecast same = TransferKernel(BuiltInTable(), kernel, device, device);
    CHECK(same.ms == kernel.ms);
    CHECK(same.low_ms == kernel.ms);
    CHECK(same.high_ms == kernel.ms);
    const Device& other = draw.AnyDevice();
    const KernelForecast there = TransferKernel(BuiltInTable(), kernel, device, other);
    CHECK(there.ms > 0);
    CHECK(there.low_ms <= there.ms);
    CHECK(there.high_ms >= there.ms);
  }
}

TEST_CASE("a measured kernel follows what limits it") {
  const Device source = **FindDevice(BuiltInDevices(), "A100-PCIe-40GB");
  Device target = source;
  target.name = "twice the bandwidth";
  target.bandwidth *= 2;
  target.copy *= 2;
  MeasuredKernel kernel;
  kernel.ms = 10;
  kernel.bytes = 12e9;
  const double half = TransferKernel(BuiltInTable(), kernel, source, target).ms;
  CHECK(half == Approx(5).margin(0.01));
  kernel.flop = 2e11;
  kernel.bytes = 1e6;
  CHECK(TransferKernel(BuiltInTable(), kernel, source, target).ms == Approx(10));
  // Of unknown work only the share that waits for memory gets faster.
  kernel.flop = kernel.bytes = 0;
  kernel.memory_share = 1;
  CHECK(TransferKernel(BuiltInTable(), kernel, source, target).ms == Approx(5).margin(0.01));
  kernel.memory_share = 0;
  CHECK(TransferKernel(BuiltInTable(), kernel, source, target).ms == Approx(10));
}

TEST_CASE("a device that nobody measured has a wider interval, so has a size beyond all others") {
  const Device& known = **FindDevice(BuiltInDevices(), "A100-PCIe-40GB");
  Device unknown = known;
  unknown.gemm32 = unknown.copy = 0;
  const KernelWork work = ProductWork(WorkFamily::kLinear, NumberType::kFp32, 1, 8192, 4096, 4096);
  const auto width = [](const KernelForecast& forecast) {
    return forecast.high_ms / forecast.low_ms;
  };
  const Forecaster on_known(BuiltInTable(), known), on_unknown(BuiltInTable(), unknown);
  CHECK(width(on_unknown.Kernel(work, true)) > 1.1 * width(on_known.Kernel(work, true)));
  KernelWork huge = work;
  huge.m = 1e9;
  CHECK(on_known.Kernel(huge, true).extrapolated);
  CHECK_FALSE(on_known.Kernel(work, true).extrapolated);
  CHECK(width(on_known.Kernel(huge, true)) > 1.1 * width(on_known.Kernel(work, true)));
}

TEST_CASE("a reduction beyond all that was measured grows in proportion, not faster") {
  for (const WorkFamily family : {WorkFamily::kLinear, WorkFamily::kBatchedProduct}) {
    KernelWork work = ProductWork(family, NumberType::kFp32, 1, 4096, 1 << 20, 4096);
    const Device& device = **FindDevice(BuiltInDevices(), "A100-PCIe-40GB");
    const double ms = Ms(device, work);
    work.n *= 64;
    CHECK(Ms(device, work) <= 64.1 * ms);
    CHECK(Ms(device, work) >= 60 * ms);
  }
}

TEST_CASE("a kernel is bound by its launch where the floor is most of its time") {
  const Device& device = **FindDevice(BuiltInDevices(), "H100-SXM");
  const Forecaster forecaster(BuiltInTable(), device);
  CHECK(forecaster.Kernel(CopyWork(1000), false).bound == KernelBound::kFloor);
  CHECK(forecaster.Kernel(CopyWork(1e9), false).bound == KernelBound::kMemory);
  // One row through a long reduction is far from all rates, but no launch takes that long.
  const KernelWork slow =
      ProductWork(WorkFamily::kBatchedProduct, NumberType::kFp32, 1, 16, 65536, 16);
  const KernelForecast forecast = forecaster.Kernel(slow, false);
  CHECK(forecast.ms > 0.05);
  CHECK(forecast.bound != KernelBound::kFloor);
  MeasuredKernel kernel;
  kernel.ms = 1;
  CHECK(TransferKernel(BuiltInTable(), kernel, device, device).bound != KernelBound::kFloor);
  kernel.ms = 0.003;
  CHECK(TransferKernel(BuiltInTable(), kernel, device, device).bound == KernelBound::kFloor);
}

TEST_CASE("a collective of more bytes never takes less time, on any device and number of GPUs") {
  Draw draw;
  for (int i = 0; i < kDraws; ++i) {
    const Device& device = draw.AnyDevice();
    const char* operations[] = {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "send"};
    const char* operation = operations[draw.Pick(5)];
    const int gpus = 2 + static_cast<int>(draw.Pick(63));
    const double bytes = draw.Size(1e11);
    const double ms = ForecastCollective(BuiltInTable(), device, operation, gpus, bytes).ms;
    CHECK(ms > 0);
    CHECK(ForecastCollective(BuiltInTable(), device, operation, gpus, bytes * 1.5).ms * kRounding >=
          ms);
    Device faster = device;
    faster.link *= 1.3;
    CHECK(ForecastCollective(BuiltInTable(), faster, "send", gpus, bytes).ms <=
          ForecastCollective(BuiltInTable(), device, "send", gpus, bytes).ms * kRounding);
  }
  CHECK_FALSE(ForecastCollective(BuiltInTable(), BuiltInDevices()[0], "gather_it", 4, 1e6).known);
  CHECK(ForecastCollective(BuiltInTable(), BuiltInDevices()[0], "all_reduce", 1, 1e6).ms == 0);
}

TEST_CASE("a shape that was measured on a device is its forecast there") {
  const ForecastTable& table = BuiltInTable();
  for (const TensorGrid& grid : table.grids) {
    const Device& device = **FindDevice(BuiltInDevices(), grid.device);
    const KernelWork work = ProductWork(WorkFamily::kTensorProduct, grid.type, 1, 4096, 8192, 1024);
    CHECK(TensorProductMs(table, work, device) ==
          Approx(GridUs(table, grid, 4096, 1024, 8192) * 1e-3));
  }
}

TEST_CASE("a device of one's own that takes a known name has its own forecast") {
  const ForecastTable& table = BuiltInTable();
  const Device& known = **FindDevice(BuiltInDevices(), "H100-SXM");
  const KernelWork work =
      ProductWork(WorkFamily::kTensorProduct, NumberType::kBf16, 1, 8192, 8192, 8192);
  const double ms = TensorProductMs(table, work, known);
  Device own = known;
  own.aliases = {"mine"};
  CHECK(IsSameDevice(own, known));
  CHECK(TensorProductMs(table, work, own) == ms);
  own.bf16 /= 4;
  own.gemm16 /= 4;
  own.bandwidth /= 4;
  own.copy /= 4;
  CHECK_FALSE(IsSameDevice(own, known));
  CHECK(TensorProductMs(table, work, own) > 3 * ms);
  CHECK(TensorSpread(table, work, own) > TensorSpread(table, work, known));
  MeasuredKernel kernel;
  kernel.ms = 10;
  CHECK(TransferKernel(table, kernel, known, own).ms > 15);
}

}  // namespace gprofx::testing
