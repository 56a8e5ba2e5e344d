#include "core/kernels/kernel_family.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <set>

#include "core/kernels/kernel_names.h"
#include "tests/unit/core/real_kernels.h"

namespace gprofx::testing {

TEST_CASE("kernels of real programs are told what they do") {
  std::set<std::string> families;
  for (const RealKernel& kernel : kRealKernels) {
    INFO(kernel.name);
    const KernelWhat what = WhatKernelDoes(kernel.name);
    CHECK(FamilyWord(what.family) == kernel.family);
    CHECK(what.what == kernel.what);
    families.insert(kernel.family);
  }
  CHECK(families.size() >= 20);
}

TEST_CASE("two kernels never get one name") {
  const std::string vectorized =
      "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, "
      "float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int)";
  const std::string unrolled =
      "void at::native::unrolled_elementwise_kernel<at::native::BinaryFunctor<float, float, float, "
      "at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul>, 4, "
      "at::native::memory::LoadWithCast<2>, at::native::memory::StoreWithCast<1> >(int)";
  const std::string scalar =
      "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, "
      "float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul> >(int)";
  const std::vector<std::string_view> alone = {vectorized, scalar};
  CHECK(DistinctKernelNames(alone) == std::vector<std::string>{"mul f32", "mul scalar f32"});
  const std::vector<std::string_view> both = {vectorized, unrolled, scalar};
  CHECK(DistinctKernelNames(both) ==
        std::vector<std::string>{"mul f32 vec4", "mul f32 unrolled cast", "mul scalar f32"});
  // Where nothing known tells them apart, a mark does, and the same one everywhere.
  const std::vector<std::string_view> strangers = {"void a::work<1>(int)", "void b::work<1>(int)"};
  const std::vector<std::string> marked = DistinctKernelNames(strangers);
  CHECK(marked[0].starts_with("work ~"));
  CHECK(marked[0] != marked[1]);
  const std::vector<std::string_view> turned = {strangers[1], strangers[0]};
  CHECK(DistinctKernelNames(turned)[1] == marked[0]);

  std::vector<std::string_view> all;
  for (const RealKernel& kernel : kRealKernels) all.push_back(kernel.name);
  const std::vector<std::string> names = DistinctKernelNames(all);
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
}

TEST_CASE("any text has a name of bounded length") {
  std::vector<std::string> odd = {"",
                                  "<",
                                  "a<",
                                  "a<b",
                                  "(((",
                                  "))))",
                                  ">>>>",
                                  "triton_",
                                  "nccl",
                                  "triton_poi_",
                                  "nvjet_",
                                  "Cijk_",
                                  "cupy_",
                                  "cupy___",
                                  "_ZN",
                                  "elementwise_kernel<",
                                  "reduce_kernel<4, lambda(",
                                  "copy ",
                                  "\x01\xff"};
  odd.push_back(std::string(10'000, 'x'));
  odd.push_back("elementwise_kernel<" + std::string(100'000, '<'));
  odd.push_back("void multi_tensor_apply_kernel<" + std::string(5'000, '('));
  for (const std::string& name : odd) {
    const KernelWhat what = WhatKernelDoes(name);
    CHECK(what.what.empty() == name.empty());
    CHECK(what.what.size() <= 80);
    CHECK(what.variant.size() <= 40);
  }
}

// Lines of "NANOSECONDS<TAB>NAME", as a script finds them in recordings of many programs.
TEST_CASE("names of most of the time have a family") {
  const char* file = getenv("GPROFX_KERNEL_NAMES");
  if (file == nullptr) {
    WARN("skipped: GPROFX_KERNEL_NAMES names no list of kernels");
    return;
  }
  std::ifstream lines(file);
  double all = 0, known = 0;
  for (std::string line; std::getline(lines, line);) {
    const size_t tab = line.find('\t');
    REQUIRE(tab != std::string::npos);
    const double ns = std::stod(line.substr(0, tab));
    all += ns;
    if (WhatKernelDoes(line.substr(tab + 1)).family != KernelFamily::kOther) known += ns;
  }
  CHECK(all > 0);
  CHECK(known >= 0.95 * all);
}

TEST_CASE("the last part of a name in the spelling of any tool") {
  CHECK(KernelBaseName("void at::native::<unnamed>::layer_norm<float, (bool)0>(int, T2)") ==
        "layer_norm");
  CHECK(KernelBaseName("void a::(anonymous namespace)::k<b::c>(int)") == "k");
  CHECK(BareKernel("void a::k<int>(int, float*)") == "a::k<int>");
  CHECK(Inside("f<a<b>, c>(d)", 1) == "a<b>, c");
  CHECK(Inside("f(a", 1) == "a");
}

TEST_CASE("kernels that communicate are those of the family of collectives") {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_Broadcast", "void nvshmemi_transfer<int>(int*)",
        "(anonymous namespace)::ncclKernel<4>(int)", "rccl_main_kernel",
        "void vllm::cross_device_reduce_1stage<float, 2>(float*)"}) {
    INFO(name);
    CHECK(IsCommunicationKernel(name));
  }
  for (const char* name : {"void add<ncclDataType_t>(float*)", "add(ncclComm*)", "", "(",
                           "(anonymous namespace)::add(int)", "sm90_xmma_gemm_f32f32"}) {
    INFO(name);
    CHECK_FALSE(IsCommunicationKernel(name));
  }
}

}  // namespace gprofx::testing
