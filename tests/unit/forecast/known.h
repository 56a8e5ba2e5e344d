// A device of the built-in table, and kernels whose names say what they do.
#pragma once

#include "core/forecast/device.h"

namespace gprofx::testing {

inline const Device& Known(std::string_view name) { return **FindDevice(BuiltInDevices(), name); }

inline constexpr char kAdd[] =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)";
inline constexpr char kGemm[] =
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas";

}  // namespace gprofx::testing
