#include "symbolize/names/demangle.h"

#include <cxxabi.h>
#include <cstring>
// If this is not defined, the header declares basename itself.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <csetjmp>
#include <cstdlib>
#include <memory>

#include "core/base/text.h"

namespace gprofx {
namespace {

bool IsNumber(std::string_view text) {
  for (const char c : text) {
    if (!IsAsciiDigit(c)) return false;
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

// Returns the number of back references (S_, S1_, T_, T0_ ...). They repeat earlier text, so a
// short name can describe a huge one.
int CountBackReferences(std::string_view name) {
  int count = 0;
  for (size_t i = 0; i + 1 < name.size(); i++) {
    if (name[i] != 'S' && name[i] != 'T') continue;
    size_t end = i + 1;
    while (end < name.size() && (IsAsciiDigit(name[end]) || (name[end] >= 'A' && name[end] <= 'Z')))
      end++;
    if (end < name.size() && name[end] == '_') count++;
  }
  return count;
}

// True if the demangled name could become too large. With k back references the text grows at most
// by 3^(k/3): a level of nesting with n references multiplies the text by n, and n = 3 gives the
// maximum for a given k. The check must come first, because the demangler limits neither time nor
// memory.
bool MayExplode(std::string_view name) {
  constexpr double kMaxLog2Size = 25;
  const double log2_growth = CountBackReferences(name) * std::log2(3.0) / 3;
  return log2_growth + std::log2(static_cast<double>(name.size())) > kMaxLog2Size;
}

// Returns the scopes and the name without their template arguments and parameters, such as
// "c10::impl::wrap_functor<...>". Used for names that are too costly for the demangler. It reads
// only the length of each part; returns "" for names that are not of this form. Linear.
std::string OuterName(std::string_view name) {
  constexpr std::string_view kAnonymous = "_GLOBAL__N_";
  name.remove_prefix(2);  // skip "_Z"
  const bool nested = name.starts_with('N');
  if (nested) name.remove_prefix(1);
  name.remove_prefix(std::min(name.find_first_not_of("rVK"), name.size()));
  std::string out;
  if (name.starts_with("St")) {
    out = "std";
    name.remove_prefix(2);
  }
  while (!name.empty() && IsAsciiDigit(name[0])) {
    size_t length = 0;
    while (!name.empty() && IsAsciiDigit(name[0]) && length <= kMaxMangledName) {
      length = length * 10 + static_cast<size_t>(name[0] - '0');
      name.remove_prefix(1);
    }
    if (length == 0 || length > name.size()) return "";
    const std::string_view part = name.substr(0, length);
    out += out.empty() ? "" : "::";
    out += part.starts_with(kAnonymous) ? "(anonymous namespace)" : part;
    name.remove_prefix(length);
    if (!nested) break;
  }
  if (out.empty() || out == "std") return "";
  return name.starts_with('I') ? out + "<...>" : out;
}

using Text = std::unique_ptr<char, void (*)(void*)>;

std::string FromCpp(const std::string& name) {
  if (MayExplode(name)) return OuterName(name);
  int status = 0;
  const Text text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status != 0 || text == nullptr ? "" : text.get();
}

// True if a function type or a trait object in a Rust name binds many lifetimes. Their number comes
// after a G, and the demangler loops once per lifetime.
bool BindsMany(std::string_view name) {
  constexpr size_t kMaxDigits = 1;
  for (size_t at = name.find('G', 1); at != std::string_view::npos; at = name.find('G', at + 1)) {
    if (name[at - 1] != 'F' && name[at - 1] != 'D') continue;
    size_t end = at + 1;
    while (end < name.size() && std::isalnum(static_cast<unsigned char>(name[end])) != 0) ++end;
    if (end < name.size() && name[end] == '_' && end - at - 1 > kMaxDigits) return true;
  }
  return false;
}

// Output buffer for a demangler that has no limits. Back references around an identifier can repeat
// text without bound, so a longjmp stops the demangler when the buffer is full.
struct BoundedName {
  char text[1 << 14];
  size_t size = 0;
  std::jmp_buf too_long;
};
void Append(const char* part, size_t size, void* bounded) {
  auto* to = static_cast<BoundedName*>(bounded);
  if (size > sizeof(to->text) - to->size) std::longjmp(to->too_long, 1);
  std::memcpy(to->text + to->size, part, size);
  to->size += size;
}

// True if a longjmp could leak memory: while the demangler writes an identifier in Punycode, it
// holds memory. Without back references, a letter expands to at most seven.
bool MayJumpFromPunycode(std::string_view name) {
  bool has_punycode = false;
  for (size_t i = 0; i + 1 < name.size(); ++i)
    has_punycode |= name[i] == 'u' && IsAsciiDigit(name[i + 1]);
  constexpr size_t kMaxSize = 2000;
  return has_punycode && (name.size() > kMaxSize || name.find('B') != std::string_view::npos);
}

// Demangles both Rust schemes; the older one looks like C++. Returns "" if it fails.
std::string FromRust(const std::string& name) {
  if (name.starts_with("_R") && (BindsMany(name) || MayJumpFromPunycode(name))) return "";
  const auto bounded = std::make_unique<BoundedName>();
  BoundedName* const to = bounded.get();
  if (setjmp(to->too_long) != 0) return "";
  if (rust_demangle_callback(name.c_str(), 0, Append, to) == 0) return "";
  return std::string(to->text, to->size);
}

// Returns the position after the identifier of a D name that begins at `at`; 0 if none begins
// there. An identifier is a length and as many characters, or a back reference.
size_t EndOfIdentifierInD(std::string_view name, size_t at) {
  size_t end = at + 1;
  if (name[at] == 'Q') {
    while (end < name.size() && name[end] >= 'A' && name[end] <= 'Z') ++end;
    return end + 1;
  }
  if (!IsAsciiDigit(name[at]) || IsAsciiDigit(name[at - 1])) return 0;
  size_t length = static_cast<size_t>(name[at] - '0');
  for (; end < name.size() && IsAsciiDigit(name[end]) && length < name.size(); ++end)
    length = length * 10 + static_cast<size_t>(name[end] - '0');
  return end + length;
}

// Returns log2 of the cost of a template argument S: the demangler tries every way to split its
// digits.
double ArgumentCost(std::string_view name, size_t at) {
  size_t digits = 0;
  while (at + 1 + digits < name.size() && IsAsciiDigit(name[at + 1 + digits])) ++digits;
  return digits == 0 ? 0 : std::log2(static_cast<double>(digits)) + 1;
}

// True if the demangler would take too long for a D name. For some names it takes exponential time
// and produces exponential text. The growth per level was measured. Q is a back reference, as in
// C++ names. ArgumentCost() covers arguments of templates. An identifier before a calling
// convention is tried with and without the type of the function.
bool TakesLongInD(std::string_view name) {
  constexpr double kMaxLog2Cost = 24, kPerReference = 0.53, kPerFunction = 1.2;
  constexpr std::string_view kConventions = "FUWVRYM";
  double log2_cost = std::log2(static_cast<double>(name.size()));
  for (size_t i = 1; i + 1 < name.size(); ++i) {
    if (name[i] == 'Q') log2_cost += kPerReference;
    if (name[i] == 'S') log2_cost += ArgumentCost(name, i);
    const size_t end = EndOfIdentifierInD(name, i);
    if (end != 0 && end < name.size() && kConventions.find(name[end]) != std::string_view::npos)
      log2_cost += kPerFunction;
  }
  return log2_cost > kMaxLog2Cost;
}

std::string FromD(const std::string& name) {
  if (TakesLongInD(name)) return "";
  const Text text(dlang_demangle(name.c_str(), DMGL_PARAMS | DMGL_ANSI), std::free);
  return text == nullptr ? "" : text.get();
}

std::string Demangled(const std::string& name) {
  if (name.starts_with("_D")) return FromD(name);
  if (name.starts_with("_R")) return FromRust(name);
  if (!name.starts_with("_Z")) return "";
  std::string rust = FromRust(name);
  return rust.empty() ? FromCpp(name) : rust;
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
  const std::string name(CleanSymbol(symbol));
  if (name.size() > kMaxMangledName) return name;
  std::string text = Demangled(name);
  return text.empty() ? name : text;
}

}  // namespace gprofx
