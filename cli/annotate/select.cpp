#include "cli/annotate/select.h"

#include <algorithm>

#include "cli/terminal/shorten.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr size_t kMaxCandidates = 5;
constexpr int kNameColumns = 60;

template <class Matches>
std::vector<size_t> Find(const std::vector<KernelChoice>& kernels, const Matches& matches) {
  std::vector<size_t> found;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (matches(i)) found.push_back(i);
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](size_t a, size_t b) { return kernels[a].samples > kernels[b].samples; });
  return found;
}

std::string Quoted(std::string_view name) {
  return "'" + FitEnd(Printable(name), kNameColumns) + "'";
}

// Returns the names of the kernels with the indices `found`, in a form that the user can type. If a
// name is marked with "~", the full name is added, because the short one does not say what the
// kernel is.
std::string ListOf(const std::vector<KernelChoice>& kernels, const std::vector<size_t>& found) {
  std::string text;
  for (size_t i = 0; i < std::min(found.size(), kMaxCandidates); ++i) {
    const auto& [full, samples, name] = kernels[found[i]];
    text += (i == 0 ? "'" : ", '") + Printable(name) + "'";
    if (name.find('~') != std::string::npos && name != full)
      text += " (" + ShortenName(Printable(full), kNameColumns) + ")";
  }
  if (found.size() > kMaxCandidates) {
    text += " and " + std::to_string(found.size() - kMaxCandidates) + " more";
  }
  return text;
}

}  // namespace

std::string BareName(std::string_view name) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' || c == '(' || c == '{') {
      // The parameters end the name. A parenthesis at the start is not theirs: "(anonymous
      // namespace)::f".
      if (c == '(' && depth == 0 && !out.empty()) break;
      ++depth;
    } else if (c == '>' || c == ')' || c == '}') {
      depth = std::max(0, depth - 1);
    } else if (depth == 0) {
      if (c == ' ' || c == ':') {
        out.clear();
      } else {
        out += c;
      }
    }
  }
  return out;
}

Result<size_t> SelectKernel(const std::vector<KernelChoice>& kernels, std::string_view name) {
  const auto exact = [&](size_t i) { return kernels[i].name == name; };
  const auto shown = [&](size_t i) { return Printable(kernels[i].shown) == name; };
  const auto bare = [&](size_t i) { return BareName(kernels[i].name) == name; };
  const auto part = [&](size_t i) {
    return kernels[i].name.find(name) != std::string::npos ||
           kernels[i].shown.find(name) != std::string::npos;
  };
  std::vector<size_t> found = Find(kernels, exact);
  if (found.empty()) found = Find(kernels, shown);
  if (found.empty()) found = Find(kernels, bare);
  if (found.empty()) found = Find(kernels, part);
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    const std::vector<size_t> all = Find(kernels, [](size_t) { return true; });
    return Error{ErrorId::kNotFound, "no kernel " + Quoted(name) + " has instruction samples",
                 "the kernels with samples are " + ListOf(kernels, all)};
  }
  return Error{ErrorId::kNotFound,
               Quoted(name) + " matches " + std::to_string(found.size()) + " kernels",
               "name one of them: " + ListOf(kernels, found)};
}

}  // namespace gprofx
