#include "formats/importers/chrome/categories.h"

#include <cctype>

namespace gprofx::importers {
namespace {

Category CategoryOfWord(std::string_view name) {
  static constexpr struct {
    std::string_view name;
    Category category;
  } kCategories[] = {{"cpu_op", Category::kOperator},
                     {"python_function", Category::kPython},
                     {"cuda_runtime", Category::kCall},
                     {"cuda_driver", Category::kCall},
                     {"kernel", Category::kKernel},
                     {"gpu_memcpy", Category::kCopy},
                     {"gpu_memset", Category::kSet},
                     {"user_annotation", Category::kAnnotation},
                     {"gpu_user_annotation", Category::kGpuAnnotation},
                     {"cuda_sync", Category::kSync},
                     {"cuda_profiler_range", Category::kGpuRange},
                     {"Trace", Category::kSpan},
                     {"overhead", Category::kOverhead},
                     {"Operator", Category::kOperator},
                     {"Runtime", Category::kCall},
                     {"Kernel", Category::kKernel},
                     {"Memcpy", Category::kCopy},
                     {"Memset", Category::kSet}};
  for (const auto& known : kCategories) {
    if (known.name == name) return known.category;
  }
  return Category::kOther;
}

bool IsRangeOfPyTorch(std::string_view name) {
  return name.starts_with("ProfilerStep#") || name.starts_with("enumerate(DataLoader)#") ||
         name.starts_with("Optimizer.step#") || name.starts_with("Optimizer.zero_grad#");
}

}  // namespace

Category CategoryOf(std::string_view category, std::string_view name) {
  const Category found = CategoryOfWord(category);
  return found == Category::kOperator && IsRangeOfPyTorch(name) ? Category::kAnnotation : found;
}

const char* KindOfPhase(std::string_view phase) {
  if (phase == "s" || phase == "t" || phase == "f") return "flow_arrows";
  if (phase == "i" || phase == "I" || phase == "R" || phase == "n") return "instants";
  if (phase == "C") return "counters";
  if (phase == "b" || phase == "e" || phase == "S" || phase == "F") return "async_events";
  return "other_events";
}

std::string PlainWord(std::string_view text) {
  std::string word(text.substr(0, 40));
  for (char& c : word) {
    const bool is_plain =
        isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<signed char>(c) > 0;
    if (!is_plain) c = '_';
  }
  return word;
}

}  // namespace gprofx::importers
