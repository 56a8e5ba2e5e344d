#include "cli/report/gpu_names.h"

#include <algorithm>

#include "cli/report/names.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool IsWord(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Where the parameters begin: the last top-level "(" that is not part of "(anonymous namespace)".
size_t ParametersOf(std::string_view name) {
  int depth = 0;
  size_t start = std::string_view::npos;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '{') ++depth;
    if (name[i] == '>' || name[i] == '}') --depth;
    if (name[i] != '(' || depth != 0) continue;
    if (!StartsWith(name.substr(i), "(anonymous namespace)")) start = i;
    const size_t close = name.find(')', i);
    if (start != std::string_view::npos || close == std::string_view::npos) break;
    i = close;
  }
  return start;
}

// Without "void " and "(int, float*)": a kernel returns nothing and its arguments do not name it.
std::string_view Bare(std::string_view name) {
  for (const std::string_view word : {"void ", "__global__ "}) {
    if (StartsWith(name, word)) name.remove_prefix(word.size());
  }
  return name.substr(0, std::max<size_t>(ParametersOf(name), 1));
}

// The name up to its template arguments, without namespaces: "Kernel2".
std::string_view Outer(std::string_view bare) {
  std::string_view head = bare;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < bare.size(); ++i) {
    if (bare[i] == '(') ++depth;
    if (bare[i] == ')') --depth;
    if (bare[i] == '<' && depth == 0) {
      head = bare.substr(0, i);
      break;
    }
  }
  depth = 0;
  for (size_t i = 0; i + 1 < head.size(); ++i) {
    if (head[i] == '(') ++depth;
    if (head[i] == ')') --depth;
    if (depth == 0 && head[i] == ':' && head[i + 1] == ':') begin = i + 2;
  }
  return head.substr(begin);
}

// Names that say how work is handed out; what the work is stands in their template arguments.
bool AppliesFunctor(std::string_view outer) {
  return Contains(outer, "elementwise") || Contains(outer, "reduce_kernel") ||
         outer == "multi_tensor_apply_kernel" || outer == "kernel_agent" ||
         Contains(outer, "grid_stride_kernel") || StartsWith(outer, "fused_dropout");
}

bool WrapsKernel(std::string_view outer) {
  return outer == "Kernel" || outer == "Kernel2" || outer == "device_kernel" ||
         outer == "cutlass_kernel" || outer == "static_kernel";
}

// Words of the machinery around the functor.
bool IsMachinery(std::string_view word) {
  return StartsWith(word, "gpu_kernel") || StartsWith(word, "launch_") || word == "ReduceOp" ||
         StartsWith(word, "func_wrapper") || Contains(word, "elementwise");
}

bool TellsWork(std::string_view word) {
  return !IsMachinery(word) &&
         (Contains(word, "unctor") || Contains(word, "_kernel") || EndsWith(word, "Ops") ||
          EndsWith(word, "Op") || EndsWith(word, "_cuda"));
}

bool TellsKernel(std::string_view word) {
  return StartsWith(word, "cutlass_") || StartsWith(word, "flash_") ||
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
  const std::string_view outer = Outer(bare);
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
  const std::string_view bare = Bare(printable);
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
  const std::string_view outer = Outer(bare);
  if (Contains(bare, "<") || Contains(bare, "::")) {
    const std::string shorter = ShortenName(bare, columns);
    if (!EndsWith(shorter, "..") && !StartsWith(shorter, "..")) return shorter;
  }
  return FitMiddle(std::string(outer.empty() ? bare : outer), columns);
}

std::string BareKernel(std::string_view printable) { return std::string(Bare(printable)); }

std::string KernelBaseName(std::string_view name) { return std::string(Outer(Bare(name))); }

}  // namespace gprofx
