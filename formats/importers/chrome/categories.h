// Classifies the events of a Chrome trace by their categories and phases. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gprofx::importers {

enum class Category : uint8_t {
  kOperator,
  kPython,
  kAnnotation,
  kCall,
  kKernel,
  kCopy,
  kSet,
  kSync,
  kGpuAnnotation,
  kGpuRange,
  kSpan,
  kOverhead,
  kOther,
  kCategories
};

// Returns the category of a span from its field "cat" and its name. The name is needed because
// PyTorch before 1.12 writes its own ranges as operators. Also accepts the capitalized categories
// of older versions of Kineto.
Category CategoryOf(std::string_view category, std::string_view name);

// Returns the name under which events of a phase are counted if they are not read, such as
// "flow_arrows".
const char* KindOfPhase(std::string_view phase);

// Returns a category in a form that can be part of the name of a counter.
std::string PlainWord(std::string_view category);

}  // namespace gprofx::importers
