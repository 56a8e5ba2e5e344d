// Ways to read a kernel's name, for core/kernels/kernel_family.cpp alone. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernels/kernel_family.h"
#include "core/kernels/kernel_family_table.h"

namespace gprofx {

bool IsWordChar(char c);
std::string Lower(std::string_view text);
const KernelRule* FirstRule(std::span<const KernelRule> rules, std::string_view lower_text);

// "bf16" for "c10::BFloat16 const*"; "" for what is no type of a tensor.
std::string TypeOf(std::string_view text);
// The types at the start of a list of template arguments; ends at the first other argument.
std::vector<std::string> LeadingTypes(std::string_view arguments);
// The type that a kernel most likely computes with: the first one of floating point anywhere in
// `text`, else the first one.
std::string MainType(std::string_view text);

// Kernels that apply something to tensors, told by what they apply (PyTorch, CUB, Thrust).
std::optional<KernelWhat> AppliedWork(std::string_view bare, std::string_view base);

// Products and convolutions whose names are made of codes: cuBLAS, CUTLASS, cuDNN, rocBLAS.
std::optional<KernelWhat> CodedProduct(std::string_view bare);

}  // namespace gprofx
