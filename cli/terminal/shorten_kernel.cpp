#include "cli/terminal/shorten.h"

#include <algorithm>

#include "cli/terminal/text.h"
#include "core/views/kernel_names.h"

namespace gprofx {
namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool IsWord(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Names that say how work is handed out; what the work is stands in their template arguments.
bool AppliesFunctor(std::string_view outer) {
  return Contains(outer, "elementwise") || Contains(outer, "reduce_kernel") ||
         outer == "multi_tensor_apply_kernel" || outer == "kernel_agent" ||
         Contains(outer, "grid_stride_kernel") || outer.starts_with("fused_dropout");
}

bool WrapsKernel(std::string_view outer) {
  return outer == "Kernel" || outer == "Kernel2" || outer == "device_kernel" ||
         outer == "cutlass_kernel" || outer == "static_kernel";
}

// Words of the machinery around the functor.
bool IsMachinery(std::string_view word) {
  return word.starts_with("gpu_kernel") || word.starts_with("launch_") || word == "ReduceOp" ||
         word.starts_with("func_wrapper") || Contains(word, "elementwise");
}

bool TellsWork(std::string_view word) {
  return !IsMachinery(word) &&
         (Contains(word, "unctor") || Contains(word, "_kernel") || word.ends_with("Ops") ||
          word.ends_with("Op") || word.ends_with("_cuda"));
}

bool TellsKernel(std::string_view word) {
  return word.starts_with("cutlass_") || word.starts_with("flash_") ||
         Contains(word, "GemmUniversal") || Contains(word, "Attention");
}

// The first word behind the first "<" that `tells`.
template <class Tells>
std::string_view FirstWord(std::string_view bare, const Tells& tells) {
  for (size_t i = std::min(bare.find('<'), bare.size()); i < bare.size();) {
    size_t end = i;
    while (end < bare.size() && IsWord(bare[end])) ++end;
    if (end > i && tells(bare.substr(i, end - i))) return bare.substr(i, end - i);
    i = std::max(end, i + 1);
  }
  return {};
}

// The telling form of a name, "" where no rule knows one.
std::string Telling(std::string_view bare) {
  const std::string_view outer = KernelBaseName(bare);
  if (WrapsKernel(outer)) return std::string(FirstWord(bare, &TellsKernel));
  if (!AppliesFunctor(outer)) return "";
  const std::string_view work = FirstWord(bare, &TellsWork);
  return work.empty() ? "" : std::string(outer) + "<" + std::string(work) + ">";
}

// The beginning says what it is, the end (a shape, a number) which one.
std::string FitMiddle(const std::string& text, int columns) {
  if (Columns(text) <= columns) return text;
  const int tail = columns / 3;
  if (tail < 4) return FitEnd(text, columns);
  std::string head = FitEnd(text, columns - tail + 2);
  head.resize(head.size() - 2);  // the dots come from the tail
  return head + FitStart(text, tail);
}

}  // namespace

std::string ShortenKernel(std::string_view printable, int columns) {
  if (Columns(printable) <= columns) return std::string(printable);
  const std::string_view bare = BareKernel(printable);
  if (Columns(bare) <= columns) return std::string(bare);
  const std::string telling = Telling(bare);
  if (!telling.empty()) {
    if (Columns(telling) <= columns) return telling;
    const size_t open = telling.find('<');
    if (open == std::string::npos) return FitMiddle(telling, columns);
    // "CUDAFunctor_add" alone still says more than half of both.
    const std::string work = telling.substr(open + 1, telling.size() - open - 2);
    return FitMiddle(work, columns);
  }
  const std::string_view outer = KernelBaseName(bare);
  if (Contains(bare, "<") || Contains(bare, "::")) {
    const std::string shorter = ShortenName(bare, columns);
    if (!shorter.ends_with("..") && !shorter.starts_with("..")) return shorter;
  }
  return FitMiddle(std::string(outer.empty() ? bare : outer), columns);
}

}  // namespace gprofx
