// What the events of a Chrome trace are, by their categories and phases. Pure.
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

// Returns the category of a span for its "cat" and its name. Older versions of Kineto capitalize
// it, and PyTorch before 1.12 writes its own ranges as operators.
Category CategoryOf(std::string_view category, std::string_view name);

// Names the kind of an event that is not read, by its phase: "flow_arrows".
const char* KindOfPhase(std::string_view phase);

// A category as part of the name of a counter.
std::string PlainWord(std::string_view category);

}  // namespace gprofx::importers
