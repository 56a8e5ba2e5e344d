// Declares parsers for parts of kernel names. Used only by core/kernels/kernel_family.cpp. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernels/kernel_family.h"
#include "core/kernels/kernel_family_table.h"

namespace gprofx {

bool IsWordChar(char c);
const KernelRule* FirstRule(std::span<const KernelRule> rules, std::string_view lower_text);

// Returns the short form of a tensor type: "bf16" for "c10::BFloat16 const*". "" if `text` is not a
// tensor type.
std::string TypeOf(std::string_view text);
// Returns the types at the start of a list of template arguments, up to the first other argument.
std::vector<std::string> LeadingTypes(std::string_view arguments);
// Returns the type in which a kernel most likely computes: the first floating point type in `text`
// or, if there is none, the first type.
std::string MainType(std::string_view text);

// Classifies kernels that apply a functor to tensors (PyTorch, CUB, Thrust) by that functor. No
// value for other kernels.
std::optional<KernelWhat> AppliedWork(std::string_view bare, std::string_view base);

// Classifies matrix products and convolutions with coded names: cuBLAS, CUTLASS, cuDNN, rocBLAS. No
// value for other kernels.
std::optional<KernelWhat> CodedProduct(std::string_view bare);

}  // namespace gprofx
