// Declares the table that core/kernels/kernel_family.h uses. It says which words in kernel names
// have which meaning. Data only.
#pragma once

#include <span>
#include <string_view>

#include "core/kernels/kernel_family.h"

namespace gprofx {

struct KernelRule {
  std::string_view part;  // text to search for in the lower-case name
  KernelFamily family;
  std::string_view op;  // short name; "" = the kernel's own name
};

std::span<const KernelRule> BaseRules();   // for the last part of a name; the first match counts
std::span<const KernelRule> ScopeRules();  // for the whole name, if no rule matches its last part
// Rules for the name of the operation that an elementwise or reduction kernel applies.
std::span<const KernelRule> WorkRules();

struct WordPair {
  std::string_view word, means;
};
std::span<const WordPair> TypeWords();  // "bfloat16_t" -> "bf16"
std::span<const WordPair> WorkWords();  // "multiplies" -> "mul"

// Returns the PyTorch operators whose names contain "_". Needed to split a list of operators that
// is joined by "_".
std::span<const std::string_view> LongOperators();

}  // namespace gprofx
