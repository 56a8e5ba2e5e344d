#include "core/views/naming/match.h"

#include <regex.h>

#include <algorithm>

#include "core/views/naming/quoted.h"

namespace gprofx {
namespace {

constexpr size_t kLongestExpression = 500;
constexpr size_t kLongestText = 4096;
// Maximum product of all repeat counts {m,n} of an expression. regcomp stores the repeated part
// once per repeat, and nested repeats multiply.
constexpr uint64_t kMaxCopies = 1000;

// Returns why an expression is refused; nullptr if it is accepted. Back-references would need
// exponential time, nested repeat counts exponential memory.
const char* WhyRefused(std::string_view expression) {
  if (expression.size() > kLongestExpression) return "it is longer than 500 bytes";
  if (expression.find('\0') != std::string_view::npos) return "it holds a NUL byte";
  uint64_t copies = 1;
  for (size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] == '\\' && i + 1 < expression.size()) {
      ++i;
      if (expression[i] >= '1' && expression[i] <= '9') return "back-references are not supported";
      continue;
    }
    if (expression[i] != '{') continue;
    uint64_t largest = 1, number = 0;
    for (++i; i < expression.size() && expression[i] != '}'; ++i) {
      const char c = expression[i];
      number = c >= '0' && c <= '9'
                   ? std::min(number * 10 + static_cast<uint64_t>(c - '0'), kMaxCopies + 1)
                   : 0;
      largest = std::max(largest, number);
    }
    copies = std::min(copies * largest, kMaxCopies + 1);
    if (copies > kMaxCopies) return "its repeat counts multiply to more than 1000";
  }
  return nullptr;
}

}  // namespace

struct Pattern::Compiled {
  regex_t regex;
  bool valid = false;
  ~Compiled() {
    if (valid) regfree(&regex);
  }
};

Result<Pattern> Pattern::Compile(std::string_view option, const std::string& expression) {
  const std::string what =
      std::string(option) + " " + Quoted(expression) + " is not a valid regular expression: ";
  const char* const fix = "write a POSIX extended expression, see regex(7)";
  if (const char* why = WhyRefused(expression)) {
    return Error{ErrorId::kBadExpression, what + why, fix};
  }
  auto compiled = std::make_shared<Compiled>();
  const int code = regcomp(&compiled->regex, expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (code != 0) {
    char text[200];
    regerror(code, &compiled->regex, text, sizeof text);
    return Error{ErrorId::kBadExpression, what + text, fix};
  }
  compiled->valid = true;
  return Pattern(std::move(compiled));
}

bool Pattern::Matches(std::string_view text) const {
  const std::string bounded(text.substr(0, kLongestText));
  return regexec(&compiled_->regex, bounded.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace gprofx
