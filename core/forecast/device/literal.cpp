#include "core/forecast/device/literal.h"

#include <algorithm>

#include "core/forecast/device/csv.h"

namespace gprofx::forecast {
namespace {

constexpr int kDeepest = 16;

class LiteralParser {
 public:
  LiteralParser(std::string_view text, LiteralBudget& budget) : text_(text), budget_(budget) {}

  bool Whole(Literal& out) {
    if (!Value(out, 0)) return false;
    Blanks();
    return at_ == text_.size();
  }

 private:
  void Blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool Value(Literal& out, int depth) {
    Blanks();
    if (at_ == text_.size() || depth > kDeepest) return false;
    if (budget_.left == 0) {
      budget_.spent = true;
      return false;
    }
    --budget_.left;
    const char c = text_[at_];
    if (c == '[' || c == '(' || c == '{')
      return List(out, c == '[' ? ']' : c == '(' ? ')' : '}', depth);
    if (c == '\'' || c == '"') return Text(out, c);
    const size_t end = std::min(text_.find_first_of(",])} \n", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    if (word == "set()" || (word == "set(" && text_.substr(end).starts_with(")"))) {
      at_ = std::min(text_.find(')', end) + 1, text_.size());
      return true;  // an empty list
    }
    const std::optional<double> number = ParseNumber(word);
    if (!number) return false;
    out.kind = Literal::Kind::kNumber;
    out.number = *number;
    return true;
  }

  bool List(Literal& out, char close, int depth) {
    ++at_;
    for (;;) {
      Blanks();
      if (at_ == text_.size()) return false;
      if (text_[at_] == close) break;
      if (!Value(out.items.emplace_back(), depth + 1)) return false;
      Blanks();
      if (at_ < text_.size() && text_[at_] == ',')
        ++at_;
      else if (at_ == text_.size() || text_[at_] != close)
        return false;
    }
    ++at_;
    return true;
  }

  bool Text(Literal& out, char quote) {
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return false;
    out.kind = Literal::Kind::kText;
    out.text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  std::string_view text_;
  LiteralBudget& budget_;
  size_t at_ = 0;
};

}  // namespace

bool Literal::IsNumbers() const {
  return IsList() && std::all_of(items.begin(), items.end(),
                                 [](const Literal& item) { return item.kind == Kind::kNumber; });
}

double Literal::Product() const {
  double product = 1;
  for (const Literal& item : items) product *= item.number;
  return product;
}

std::optional<Literal> ParseLiteral(std::string_view text, LiteralBudget& budget) {
  Literal literal;
  if (!LiteralParser(text, budget).Whole(literal)) return std::nullopt;
  return literal;
}

}  // namespace gprofx::forecast
