#include "symbolize/demangle.h"

#include <cxxabi.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>

namespace gprofx {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }

bool IsNumber(std::string_view text) {
  for (const char c : text) {
    if (!IsDigit(c)) return false;
  }
  return !text.empty();
}

bool IsOptimiserSuffix(std::string_view part) {
  constexpr std::array<std::string_view, 8> kSuffixes = {"cold",     "part", "constprop",  "isra",
                                                         "lto_priv", "llvm", "localalias", "clone"};
  for (const std::string_view suffix : kSuffixes) {
    if (part == suffix) return true;
  }
  return false;
}

// Back references (S_, S1_, T_, T0_ ...) repeat what was said before, so a short name can describe
// a huge one.
int CountBackReferences(std::string_view name) {
  int count = 0;
  for (size_t i = 0; i + 1 < name.size(); i++) {
    if (name[i] != 'S' && name[i] != 'T') continue;
    size_t end = i + 1;
    while (end < name.size() && (IsDigit(name[end]) || (name[end] >= 'A' && name[end] <= 'Z')))
      end++;
    if (end < name.size() && name[end] == '_') count++;
  }
  return count;
}

// With k back references the text grows at most by 3^(k/3) (three references a level double best).
// The demangler has no limit of its own, neither of time nor of memory, so the limit is set before
// it starts.
bool MayExplode(std::string_view name) {
  constexpr double kMaxLog2Size = 25;
  const double log2_growth = CountBackReferences(name) * std::log2(3.0) / 3;
  return log2_growth + std::log2(static_cast<double>(name.size())) > kMaxLog2Size;
}

// Rust's legacy names are Itanium names that end in ::h and 16 hexadecimal digits, with $..$ for
// punctuation.
std::string ReadableRust(std::string name) {
  constexpr size_t kHashSize = 19;
  if (name.size() <= kHashSize) return name;
  const std::string_view hash = std::string_view(name).substr(name.size() - kHashSize);
  if (!hash.starts_with("::h")) return name;
  for (const char c : hash.substr(3)) {
    if (!IsHex(c)) return name;
  }
  name.resize(name.size() - kHashSize);

  struct Escape {
    std::string_view code, text;
  };
  constexpr std::array<Escape, 10> kEscapes = {{{"$LT$", "<"},
                                                {"$GT$", ">"},
                                                {"$RF$", "&"},
                                                {"$BP$", "*"},
                                                {"$C$", ","},
                                                {"$LP$", "("},
                                                {"$RP$", ")"},
                                                {"$u20$", " "},
                                                {"$u7b$", "{"},
                                                {"$u7d$", "}"}}};
  std::string out;
  for (size_t i = 0; i < name.size();) {
    const std::string_view rest = std::string_view(name).substr(i);
    const Escape* found = nullptr;
    for (const Escape& escape : kEscapes) {
      if (rest.starts_with(escape.code)) found = &escape;
    }
    if (found != nullptr) {
      out += found->text;
      i += found->code.size();
    } else if (rest.starts_with("..")) {
      out += "::";
      i += 2;
    } else if (name[i] == '_' && rest.starts_with("_$") && (i == 0 || name[i - 1] == ':')) {
      i++;  // the scheme puts "_" before a path part that starts with punctuation
    } else {
      out += name[i++];
    }
  }
  return out;
}

}  // namespace

std::string_view CleanSymbol(std::string_view symbol) {
  const size_t version = symbol.find('@', 1);
  if (version != std::string_view::npos) symbol = symbol.substr(0, version);
  while (true) {
    size_t dot = symbol.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return symbol;
    std::string_view part = symbol.substr(dot + 1);
    if (IsNumber(part)) {
      const size_t before = symbol.rfind('.', dot - 1);
      if (before == std::string_view::npos || before == 0) return symbol;
      part = symbol.substr(before + 1, dot - before - 1);
      dot = before;
    }
    if (!IsOptimiserSuffix(part)) return symbol;
    symbol = symbol.substr(0, dot);
  }
}

std::string Demangle(std::string_view symbol) {
  const std::string_view clean = CleanSymbol(symbol);
  std::string name(clean);
  if (!clean.starts_with("_Z") || clean.size() > kMaxMangledName || MayExplode(clean)) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || text == nullptr || *text == '\0') return name;
  return ReadableRust(text.get());
}

}  // namespace gprofx
