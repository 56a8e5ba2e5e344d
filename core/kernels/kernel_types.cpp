#include "core/kernels/kernel_family_parts.h"
#include "core/kernels/kernel_names.h"

namespace gprofx {
namespace {

bool IsFloat(std::string_view type) {
  return type.find('f') != std::string_view::npos || type.starts_with('e');
}

std::string_view LookUp(std::string_view word) {
  for (const WordPair& pair : TypeWords()) {
    if (pair.word == word) return pair.means;
  }
  return {};
}

std::string_view WithoutPrefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

}  // namespace

bool IsWordChar(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

const KernelRule* FirstRule(std::span<const KernelRule> rules, std::string_view lower_text) {
  for (const KernelRule& rule : rules) {
    if (lower_text.find(rule.part) != std::string_view::npos) return &rule;
  }
  return nullptr;
}

std::string TypeOf(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  text = WithoutPrefix(text, "const ");
  const bool is_unsigned = text.starts_with("unsigned ");
  if (is_unsigned) text.remove_prefix(9);
  text = WithoutPrefix(text, "signed ");
  if (const size_t complex = text.find("complex<"); complex != std::string_view::npos) {
    const std::string part = TypeOf(Inside(text, complex + 7));
    return part == "f32" ? "c64" : part == "f64" ? "c128" : part.empty() ? "" : "c32";
  }
  // The names of PyTorch's copy kernels contain the size of an element (OpaqueType<4>), but not its
  // type.
  if (const size_t opaque = text.find("OpaqueType<"); opaque != std::string_view::npos) {
    std::string digits;
    for (const char c : Inside(text, opaque + 10)) {
      if (c >= '0' && c <= '9') digits += c;
    }
    return digits.empty() ? "" : digits + "B";
  }
  size_t end = 0;
  while (end < text.size() && (IsWordChar(text[end]) || text[end] == ':')) ++end;
  std::string_view word = text.substr(0, end);
  if (const size_t scope = word.rfind(':'); scope != std::string_view::npos) {
    word.remove_prefix(scope + 1);
  }
  std::string type(LookUp(word));
  if (is_unsigned && type.starts_with('i')) type[0] = 'u';
  return type;
}

std::vector<std::string> LeadingTypes(std::string_view arguments) {
  std::vector<std::string> types;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= arguments.size(); ++i) {
    const char c = i < arguments.size() ? arguments[i] : ',';
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c != ',' || (depth > 0 && i < arguments.size())) continue;
    std::string type = TypeOf(arguments.substr(begin, i - begin));
    if (type.empty()) break;
    types.push_back(std::move(type));
    begin = i + 1;
  }
  return types;
}

std::string MainType(std::string_view text) {
  std::string first;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsWordChar(text[end])) ++end;
    if (end == i) {
      ++i;
      continue;
    }
    // Nsight writes numbers in template arguments with a cast, "(int)128". The type of such a cast
    // is skipped.
    const bool cast = i > 0 && text[i - 1] == '(' && end < text.size() && text[end] == ')';
    const std::string_view word = text.substr(i, end - i);
    std::string type = cast ? "" : TypeOf(word.starts_with("OpaqueType") ? text.substr(i) : word);
    if (IsFloat(type)) return type;
    const bool counts = type != "bool" && !type.empty();
    if (first.empty() && counts) first = std::move(type);
    i = end;
  }
  return first;
}

}  // namespace gprofx
