#include "cli/terminal/shorten.h"

#include "cli/terminal/text.h"
#include "core/kernels/kernel_family.h"

namespace gprofx {
namespace {

// Returns the length of an operator's name at `pos`, such as "operator<<", "operator->" or
// "operator()". Returns 0 if there is none. The characters of such a name must not count as
// brackets.
size_t OperatorLength(std::string_view name, size_t pos) {
  constexpr std::string_view kWord = "operator";
  if (name.substr(pos, kWord.size()) != kWord) return 0;
  static constexpr std::string_view kSigns[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>",
                                                "<=",  ">=",  "->",  "()",  "<",  ">"};
  const std::string_view rest = name.substr(pos + kWord.size());
  for (const std::string_view sign : kSigns) {
    if (rest.substr(0, sign.size()) == sign) return kWord.size() + sign.size();
  }
  return 0;
}

// Returns `name` without some of its parts in brackets. `open` and `close` are the brackets.
// Removes the contents of each outermost pair for which drop(contents) is true.
template <class Drop>
std::string WithoutInside(std::string_view name, char open, char close, const Drop& drop) {
  std::string out;
  for (size_t i = 0; i < name.size();) {
    if (const size_t length = OperatorLength(name, i)) {
      out += name.substr(i, length);
      i += length;
      continue;
    }
    out += name[i];
    if (name[i++] != open) continue;
    int depth = 1;
    size_t end = i;
    while (end < name.size() && depth > 0) {
      if (const size_t length = OperatorLength(name, end)) {
        end += length;
        continue;
      }
      if (name[end] == open) ++depth;
      // Do not count the ">" of "->", the arrow of a trailing return type.
      if (name[end] == close && !(close == '>' && end > 0 && name[end - 1] == '-')) --depth;
      ++end;
    }
    if (depth != 0) return std::string(name);  // brackets do not match: leave the name as it is
    if (!drop(name.substr(i, end - 1 - i))) out += name.substr(i, end - 1 - i);
    out += close;
    i = end;
  }
  return out;
}

// Returns a name without its return type, which is everything up to the last blank outside of
// brackets.
std::string WithoutReturnType(std::string_view name) {
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (const size_t length = OperatorLength(name, i)) {
      i += length - 1;
      continue;
    }
    if (name[i] == '(' || name[i] == '<') ++depth;
    if (name[i] == ')' || name[i] == '>') --depth;
    if (name[i] == ' ' && depth == 0) {
      if (name.substr(0, i).size() >= 8 && name.substr(i - 8, 8) == "operator") break;
      if (name.substr(i + 1) == "const") break;
      start = i + 1;
    }
  }
  return std::string(name.substr(start));
}

std::string WithoutOuterNamespace(std::string_view name) {
  int depth = 0;
  for (size_t i = 0; i + 2 < name.size(); ++i) {
    if (name[i] == '(' || name[i] == '<' || name[i] == '{') ++depth;
    if (name[i] == ')' || name[i] == '>' || name[i] == '}') --depth;
    if (depth == 0 && name[i] == ':' && name[i + 1] == ':') return std::string(name.substr(i + 2));
  }
  return std::string(name);
}

// Returns a Rust name without its trait: "u64::lt" for "<u64 as core::cmp::PartialOrd>::lt".
std::string WithoutTrait(std::string_view name) {
  if (!name.starts_with('<')) return std::string(name);
  int depth = 0;
  size_t type_end = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>' && name[i - 1] != '-' && --depth == 0) {
      if (type_end == 0) type_end = i;
      return std::string(name.substr(1, type_end - 1)) + std::string(name.substr(i + 1));
    }
    if (depth == 1 && type_end == 0 && name.substr(i).starts_with(" as ")) type_end = i;
  }
  return std::string(name);
}

// True if the whole name is in angle brackets, such as Python's "<built-in method mm of type
// object>".
bool IsInBrackets(std::string_view name) {
  if (!name.starts_with('<') || !name.ends_with('>')) return false;
  int depth = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>' && name[i - 1] != '-' && --depth == 0) return false;
  }
  return true;
}

// Shortens a name in brackets: "<built-in method mm of type object>" becomes "<built-in method mm>"
// and, if that does not fit, "<built-in mm>".
std::string ShortenBrackets(std::string_view name, int columns) {
  std::string shorter(name.substr(0, name.size() - 1));
  if (const size_t of = shorter.find(" of "); of != std::string::npos) shorter.resize(of);
  for (const std::string_view kind : {"<built-in method ", "<built-in function "}) {
    constexpr std::string_view kBuiltIn = "<built-in ";
    if (Columns(shorter) < columns || !shorter.starts_with(kind)) continue;
    shorter = std::string(kBuiltIn) + shorter.substr(kind.size());
  }
  return FitEnd(shorter + ">", columns);
}

}  // namespace

std::string ShortenName(std::string_view printable, int columns) {
  if (Columns(printable) <= columns) return std::string(printable);
  // Shorten this prefix first, because the text after it says what the interpreter does.
  constexpr std::string_view kInterpreter = "Python interpreter: ";
  if (printable.starts_with(kInterpreter)) {
    return FitEnd("Python: " + std::string(printable.substr(kInterpreter.size())), columns);
  }
  // Keep an address. In a stripped library, only the address distinguishes functions.
  const size_t address = printable.rfind("+0x");
  if (address != std::string_view::npos && address > 0 &&
      printable.find_first_not_of("0123456789abcdef", address + 3) == std::string_view::npos) {
    const int room = columns - static_cast<int>(printable.size() - address);
    constexpr int kMinLibrary = 5;
    if (room < kMinLibrary) return FitStart(std::string(printable), columns);
    return FitEnd(std::string(printable.substr(0, address)), room) +
           std::string(printable.substr(address));
  }
  // A name with ")#" is that of a range, such as "enumerate(DataLoader)#...", and has no
  // parameters. The lambdas of C++ also contain ")#", but in braces.
  if (printable.find(")#") != std::string_view::npos &&
      printable.find('{') == std::string_view::npos) {
    return FitEnd(std::string(printable), columns);
  }
  // A name with " [clone ." is that of a part which GCC has split from a function, such as
  // "work(int) [clone ._omp_fn.0]".
  if (const size_t clone = printable.rfind(" [clone ."); clone != std::string_view::npos)
    return ShortenName(printable.substr(0, clone), columns);
  if (IsInBrackets(printable)) return ShortenBrackets(printable, columns);
  // Keep parentheses that belong to the name, such as "(anonymous namespace)" and
  // "{lambda(int)#1}".
  std::string name = WithoutInside(
      printable, '(', ')', [](std::string_view inside) { return inside != "anonymous namespace"; });
  if (Columns(name) <= columns) return name;
  name = WithoutTrait(name);
  if (Columns(name) <= columns) return name;
  name = WithoutInside(name, '<', '>', [](std::string_view) { return true; });
  if (Columns(name) <= columns) return name;
  if (name.find('(') != std::string::npos) name = WithoutReturnType(name);
  while (Columns(name) > columns) {
    std::string shorter = WithoutOuterNamespace(name);
    if (shorter.size() == name.size()) break;
    // Keep the end of the class, too, because "call()" alone says nothing.
    if (Columns(shorter) < columns / 2) return FitStart(name, columns);
    name = std::move(shorter);
  }
  return FitEnd(name, columns);
}

std::string ShortenKernel(std::string_view printable, int columns) {
  if (Columns(printable) <= columns) return std::string(printable);
  const size_t word = printable.find_first_not_of("abcdefghijklmnopqrstuvwxyz ");
  const bool has_word =
      word != std::string_view::npos && word > 0 && printable.substr(word).starts_with(": ");
  const size_t begin = has_word ? word + 2 : 0;
  size_t end = printable.ends_with(']') ? printable.rfind(" [") : printable.size();
  if (end == std::string_view::npos || end < begin) end = printable.size();
  return FitMiddle(std::string(printable.substr(0, begin)) +
                       ShortKernelName(printable.substr(begin, end - begin)) +
                       std::string(printable.substr(end)),
                   columns);
}

}  // namespace gprofx
