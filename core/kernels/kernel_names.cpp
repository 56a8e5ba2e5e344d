#include "core/kernels/kernel_names.h"

#include <algorithm>

namespace gprofx {
namespace {

// Returns the length of "(anonymous namespace)" or of Nsight's "<unnamed>" at `pos`; 0 if neither
// is there. Their brackets enclose neither parameters nor template arguments.
size_t UnnamedScope(std::string_view name, size_t pos) {
  for (const std::string_view word : {"(anonymous namespace)", "<unnamed>"}) {
    if (name.substr(pos).starts_with(word)) return word.size();
  }
  return 0;
}

// Returns the position of the parameters: the first "(" outside all brackets that does not begin
// "(anonymous namespace)". Returns npos if there are none.
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
  size_t begin = 0, end = 0;
  int depth = 0;
  for (; end < bare.size(); ++end) {
    if (const size_t scope = UnnamedScope(bare, end)) {
      end += scope - 1;
      continue;
    }
    if (bare[end] == '(') ++depth;
    if (bare[end] == ')') --depth;
    if (depth != 0) continue;
    if (bare[end] == '<') break;
    if (bare[end] == ':' && end + 1 < bare.size() && bare[end + 1] == ':') begin = end + 2;
  }
  return bare.substr(std::min(begin, end), end - std::min(begin, end));
}

std::string_view Inside(std::string_view text, size_t open) {
  const char opening = text[open], closing = opening == '<' ? '>' : ')';
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == opening) ++depth;
    // The "->" of a trailing return type does not close a bracket.
    if (text[i] == closing && !(closing == '>' && i > 0 && text[i - 1] == '-') && --depth == 0) {
      return text.substr(open + 1, i - open - 1);
    }
  }
  return text.substr(open + 1);
}

}  // namespace gprofx
