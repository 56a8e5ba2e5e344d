#include "core/views/kernel_names.h"

#include <algorithm>

namespace gprofx {
namespace {

// Where the parameters begin: the last top-level "(" that is not part of "(anonymous namespace)".
size_t ParametersOf(std::string_view name) {
  int depth = 0;
  size_t start = std::string_view::npos;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '{') ++depth;
    if (name[i] == '>' || name[i] == '}') --depth;
    if (name[i] != '(' || depth != 0) continue;
    if (!name.substr(i).starts_with("(anonymous namespace)")) start = i;
    const size_t close = name.find(')', i);
    if (start != std::string_view::npos || close == std::string_view::npos) break;
    i = close;
  }
  return start;
}

}  // namespace

std::string_view BareKernel(std::string_view name) {
  for (const std::string_view word : {"void ", "__global__ "}) {
    if (name.starts_with(word)) name.remove_prefix(word.size());
  }
  return name.substr(0, std::max<size_t>(ParametersOf(name), 1));
}

std::string_view KernelBaseName(std::string_view name) {
  const std::string_view bare = BareKernel(name);
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

}  // namespace gprofx
