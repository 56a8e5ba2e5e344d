// What counters measured comes to the kernels of a recording, and to the analyses.
#include "core/kernels/kernel_counters.h"

#include <catch2/catch.hpp>

#include "core/analyses/analyses.h"
#include "core/analyses/work.h"
#include "model_profile.h"

namespace gprofx::testing {
using namespace gprofx::analyses;
namespace {

constexpr char kAdd[] =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<double>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<double>, std::array<char*, 3ul>)";
constexpr char kAddByNsight[] =
    "void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<double>, "
    "std::array<char *, (unsigned long)3>>(int, T2, T3)";

GpuConfigId Config(ModelMaker& make, const char* kernel, uint32_t grid) {
  GpuKernelConfig config;
  config.function = make.profile.frame(make.Kernel(kernel)).function;
  config.grid[0] = grid;
  config.block[0] = 128;
  for (uint32_t* size : {config.grid, config.block}) size[1] = size[2] = 1;
  make.profile.gpu.configs.push_back(config);
  return GpuConfigId{static_cast<uint32_t>(make.profile.gpu.configs.size())};
}

MeasuredLaunch Launch(const char* kernel, uint32_t grid, double bytes, double f32) {
  MeasuredLaunch launch{kernel, {grid, 1, 1}, {128, 1, 1}, bytes, std::array<double, kFlopUnits>{}};
  (*launch.flop)[static_cast<size_t>(FlopUnit::kF32)] = f32;
  return launch;
}

void Run(ModelMaker& make, NodeId node, int64_t ns, GpuConfigId config) {
  make.Run(node, ns);
  make.work.configs.back() = config;
}

}  // namespace

TEST_CASE("measured launches are found by name, grid and block, whoever demangled the name") {
  ModelMaker make;
  const GpuConfigId wide = Config(make, kAdd, 64), narrow = Config(make, kAdd, 8);
  const JoinedCounters joined =
      JoinCounters(make.profile, {Launch(kAddByNsight, 64, 100, 10),
                                  Launch(kAddByNsight, 64, 104, 10), Launch("other", 64, 1, 1)});
  REQUIRE(joined.rows.size() == 1);
  CHECK(joined.rows[0].config == wide);
  CHECK(joined.rows[0].config != narrow);
  CHECK(joined.rows[0].launches == 2);
  CHECK(joined.rows[0].bytes == 102);
  CHECK_FALSE(joined.rows[0].is_uneven);
  CHECK(joined.measured == 3);
  CHECK(joined.not_found == 1);
}

TEST_CASE("a name without template arguments is enough where it is the only one") {
  ModelMaker make;
  Config(make, "void ns::k<int>(int)", 64);
  CHECK(JoinCounters(make.profile, {Launch("k", 64, 1, 1)}).rows.size() == 1);
  Config(make, "void ns::k<float>(float)", 64);
  CHECK(JoinCounters(make.profile, {Launch("k", 64, 1, 1)}).rows.empty());
}

TEST_CASE("launches of different work are uneven, different traffic alone is not") {
  ModelMaker make;
  Config(make, "gemm", 64);
  const auto uneven = [&](std::vector<MeasuredLaunch> launches) {
    return JoinCounters(make.profile, launches).rows.at(0).is_uneven;
  };
  CHECK(uneven({Launch("gemm", 64, 100, 10), Launch("gemm", 64, 100, 20)}));
  CHECK_FALSE(uneven({Launch("gemm", 64, 100, 10), Launch("gemm", 64, 200, 10)}));
  CHECK(uneven({Launch("gemm", 64, 100, 0), Launch("gemm", 64, 200, 0)}));
}

TEST_CASE("the largest kernels are measured, and as many launches as show each of them") {
  ModelMaker make;
  const GpuConfigId large = Config(make, "large", 64), small = Config(make, "small", 64),
                    tiny = Config(make, "void tiny<int>(int)", 64);
  const NodeId node = make.Node({{make.Kernel("large")}});
  for (int i = 0; i < 5; ++i) Run(make, node, 100, small);
  Run(make, node, 1, tiny);
  Run(make, node, 9000, large);
  const LaunchesToMeasure chosen = ChooseLaunches(make.profile, make.work);
  CHECK(chosen.kernels == std::vector<std::string>{"large", "small"});
  CHECK(chosen.of_each == 6);  // the large one is the sixth of those whose names are wanted
  CHECK(chosen.share > 0.99);
  CHECK(ChooseLaunches(Profile{}, GpuWorkEvents{}).kernels.empty());
}

TEST_CASE("what was measured is said before names tell anything, and its unit is the ceiling") {
  ModelMaker make;
  const GpuConfigId config = Config(make, kAdd, 64);
  make.profile.gpu.devices.push_back({make.profile.Intern("NVIDIA H100 80GB HBM3"), {}, {}, {}});
  const NodeId node = make.Node({{make.Kernel(kAdd)}});
  for (int i = 0; i < 2; ++i) Run(make, node, 1000, config);
  KernelCounters row{config, 1, true, true, false, 500, {}};
  row.flop[static_cast<size_t>(FlopUnit::kTensorBf16)] = 7000;
  row.flop[static_cast<size_t>(FlopUnit::kF32)] = 10;
  make.work.counters.push_back(row);
  const auto work = [&] { return FindWork(AnalysisContext(make.profile, make.work, "run")); };
  REQUIRE(work().size() == 1);
  CHECK(work()[0].from == WorkFrom::kMeasured);
  CHECK(work()[0].flop == 14020);
  CHECK(work()[0].bytes == 1000);
  CHECK(TypeOfWork(AnalysisContext(make.profile, make.work, "run"), work()[0]) == "bf16");
  make.work.counters[0].is_uneven = true;
  CHECK((work().empty() || work()[0].from == WorkFrom::kLaunch));
}

TEST_CASE("elementwise work on doubles is held against the peak of doubles") {
  ModelMaker make;
  const auto type = [&](const char* kernel) {
    WorkOfNode work;
    work.kernel = make.profile.Intern(kernel).value;
    work.from = WorkFrom::kLaunch;
    return TypeOfWork(AnalysisContext(make.profile, make.work, "run"), work);
  };
  CHECK(type(kAdd) == "f64");
  CHECK(type("void at::native::vectorized_elementwise_kernel<4, "
             "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int)") == "f32");
  CHECK(type("void at::native::vectorized_elementwise_kernel<8, "
             "at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int)") == "f32");
}

}  // namespace gprofx::testing
