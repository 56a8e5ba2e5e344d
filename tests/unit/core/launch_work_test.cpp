// What names and launch configurations tell of real kernels; the elements are those of the traces
// that they were taken from.
#include "core/kernels/launch_work.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace gprofx {
namespace {

GpuKernelConfig Launch(uint32_t grid, uint32_t block = 128) {
  GpuKernelConfig config;
  config.grid[0] = grid;
  config.block[0] = block;
  config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  return config;
}

std::string Vectorized(const std::string& functor, int tensors, int vector = 4) {
  const std::string array = "std::array<char*, " + std::to_string(tensors) + "ul>";
  return "void at::native::vectorized_elementwise_kernel<" + std::to_string(vector) + ", " +
         functor + ", " + array + " >(int, " + functor + ", " + array + ")";
}

const std::string kAddBf16 = "at::native::CUDAFunctor_add<c10::BFloat16>";
const std::string kMulBf16 =
    "at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
    "at::native::binary_internal::MulFunctor<float> >";
const std::string kToBf16 =
    "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}";
const std::string kSilu =
    "at::native::(anonymous namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}::"
    "operator()() const::{lambda()#6}::operator()() const::{lambda(c10::BFloat16)#1}";
const std::string kEqual =
    "at::native::AUnaryFunctor<long, long, bool, at::native::(anonymous namespace)::"
    "CompareEqFunctor<long> >";

constexpr int64_t kQwen = 16LL * 559 * 1024;  // elements of a layer's output

}  // namespace

TEST_CASE("elements of vectorized kernels, by the version of PyTorch") {
  const GpuKernelConfig config = Launch(17'888);
  const LaunchWork old = WorkOfLaunch(Vectorized(kAddBf16, 3), config, ThreadWork::kFour);
  CHECK(old.flop == kQwen);
  CHECK(old.bytes == 3 * 2 * kQwen);
  const LaunchWork later = WorkOfLaunch(Vectorized(kAddBf16, 3, 8), config, ThreadWork::kEight);
  CHECK(later.flop == 2 * kQwen);
  const LaunchWork unknown = WorkOfLaunch(Vectorized(kAddBf16, 3), config, ThreadWork::kUnknown);
  CHECK_FALSE(unknown.flop);
  CHECK(std::string(unknown.why) == "the elements of a thread");
}

TEST_CASE("types of what is read and written") {
  const auto bytes = [](const std::string& functor, int tensors) {
    const LaunchWork work =
        WorkOfLaunch(Vectorized(functor, tensors), Launch(1000), ThreadWork::kFour);
    return work.bytes ? *work.bytes / (1000 * 512) : -1;
  };
  CHECK(bytes(kMulBf16, 3) == 6);
  CHECK(bytes(kSilu, 2) == 4);
  CHECK(bytes(kToBf16, 2) == 6);
  CHECK(bytes(kEqual, 2) == 9);
  CHECK(bytes("at::native::FillFunctor<float>", 1) == 4);
  // A functor of other arguments than the array has.
  CHECK(bytes(kMulBf16, 4) == -1);
  CHECK(bytes("my::Functor<my::Type>", 2) == -1);
  // Copies and fills compute nothing.
  CHECK(WorkOfLaunch(Vectorized(kToBf16, 2), Launch(1000), ThreadWork::kFour).flop == 0);
  CHECK(WorkOfLaunch(Vectorized(kSilu, 2), Launch(1000), ThreadWork::kFour).flop == 512'000);
}

TEST_CASE("strided and casting kernels tell elements and no bytes") {
  const std::string strided =
      "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<" + kMulBf16 +
      " >(at::TensorIteratorBase&, " + kMulBf16 + " const&)::{lambda(int)#1}>(int, int)";
  const LaunchWork work = WorkOfLaunch(strided, Launch(17'888), ThreadWork::kUnknown);
  CHECK(work.flop == kQwen);
  CHECK_FALSE(work.bytes);
  CHECK(std::string(work.why) == "whether operands repeat");
  const auto unrolled = [](const std::string& each, const std::string& load) {
    const std::string name = "void at::native::unrolled_elementwise_kernel<" + kAddBf16 +
                             ", std::array<char*, 3ul>, " + each +
                             "TrivialOffsetCalculator<2, unsigned int>, "
                             "TrivialOffsetCalculator<1, unsigned int>, at::native::memory::" +
                             load + ", at::native::memory::StoreWithoutCast>(int)";
    return WorkOfLaunch(name, Launch(100), ThreadWork::kUnknown);
  };
  const auto without = unrolled("", "LoadWithoutCast");
  CHECK(without.flop == 100 * 512);
  CHECK(without.bytes == 100 * 512 * 6);
  const auto eight = unrolled("8, ", "LoadWithoutCast");
  CHECK(eight.flop == 100 * 1024);
  const auto cast = unrolled("4, ", "LoadWithCast<2>");
  CHECK(cast.flop == 100 * 512);
  CHECK_FALSE(cast.bytes);
}

TEST_CASE("what neither name nor launch tells is said") {
  const auto why = [](const std::string& name, uint32_t grid = 1000) {
    const LaunchWork work = WorkOfLaunch(name, Launch(grid), ThreadWork::kFour);
    CHECK_FALSE(work.flop);
    CHECK_FALSE(work.bytes);
    return std::string(work.why);
  };
  CHECK(why("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn") ==
        "the depth of the product");
  CHECK(why("void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>(int)") ==
        "the length of the keys");
  CHECK(why(Vectorized(kAddBf16, 3), kMinBlocks - 1) == "the elements of so few blocks");
  for (const char* odd :
       {"", "elementwise_kernel", "elementwise_kernel<", "elementwise_kernel<128",
        "add elementwise_kernel<0, 0, x>", "elementwise_kernel<99999999999999, 9, add>"}) {
    CHECK_FALSE(why(odd).empty());
  }
  const std::string huge =
      "vectorized_elementwise_kernel<4, std::array<char*, 99999999999999999999>";
  CHECK_FALSE(WorkOfLaunch(huge, Launch(UINT32_MAX, UINT32_MAX), ThreadWork::kEight).bytes);
}

TEST_CASE("the kernels of a program tell the version of PyTorch") {
  const auto of = [](const std::vector<std::string>& kernels) {
    const std::vector<std::string_view> names(kernels.begin(), kernels.end());
    return ThreadWorkOf(names);
  };
  const std::string f32 = Vectorized("at::native::CUDAFunctor_add<float>", 3);
  CHECK(of({}) == ThreadWork::kUnknown);
  CHECK(of({f32}) == ThreadWork::kUnknown);
  CHECK(of({f32, Vectorized(kAddBf16, 3)}) == ThreadWork::kFour);
  CHECK(of({f32, Vectorized(kToBf16, 2)}) == ThreadWork::kFour);
  CHECK(of({f32, Vectorized(kAddBf16, 3, 8)}) == ThreadWork::kEight);
  CHECK(of({"Cijk_Alik_Bljk_BBS", Vectorized(kAddBf16, 3, 8)}) == ThreadWork::kUnknown);
}

}  // namespace gprofx
