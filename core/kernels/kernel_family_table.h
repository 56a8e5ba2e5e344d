// The table behind core/kernels/kernel_family.h: what words in names of kernels stand for. Data
// only.
#pragma once

#include <span>
#include <string_view>

#include "core/kernels/kernel_family.h"

namespace gprofx {

struct KernelRule {
  std::string_view part;  // in the lower-case name
  KernelFamily family;
  std::string_view op;  // what it is called; "" = as the kernel calls itself
};

std::span<const KernelRule> BaseRules();   // for the last part of a name; the first that fits
std::span<const KernelRule> ScopeRules();  // for the whole name, where no rule knows its last part
std::span<const KernelRule> WorkRules();   // for what an elementwise or reducing kernel applies

struct WordPair {
  std::string_view word, means;
};
std::span<const WordPair> TypeWords();  // "bfloat16_t" -> "bf16"
std::span<const WordPair> WorkWords();  // "multiplies" -> "mul"

// Operators of PyTorch whose names hold "_", so that a list of them joined by "_" can be read.
std::span<const std::string_view> LongOperators();

}  // namespace gprofx
