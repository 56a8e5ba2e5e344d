// The table of core/kernels/kernel_family.h: the meaning of words in kernel names. Data only.
#pragma once

#include <span>
#include <string_view>

#include "core/kernels/kernel_family.h"

namespace gprofx {

struct KernelRule {
  std::string_view part;  // substring of the lower-case name
  KernelFamily family;
  std::string_view op;  // short name; "" = the kernel's own name
};

std::span<const KernelRule> BaseRules();   // for the last part of a name; the first match wins
std::span<const KernelRule> ScopeRules();  // for the whole name, if no rule matches its last part
std::span<const KernelRule> WorkRules();   // for what an elementwise or reduction kernel applies

struct WordPair {
  std::string_view word, means;
};
std::span<const WordPair> TypeWords();  // "bfloat16_t" -> "bf16"
std::span<const WordPair> WorkWords();  // "multiplies" -> "mul"

// PyTorch operators whose names contain "_", to parse lists of operators joined by "_".
std::span<const std::string_view> LongOperators();

}  // namespace gprofx
