#include "core/compare/rules/rules.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "core/base/quantity.h"
#include "core/base/text.h"

namespace gprofx::compare {
namespace {

constexpr size_t kLongestRule = 1000;
constexpr size_t kMaxRules = 1000;

enum class Name : uint8_t { kNone, kOptional, kNeeded, kKind, kRatio };
enum class Limit : uint8_t { kPercent, kPoints, kCount, kSaving, kFactor };

struct Word {
  std::string_view word;
  Rule::What what;
  Name name;
  Limit limit;
};
constexpr Word kWords[] = {
    {"total", Rule::kTotal, Name::kNone, Limit::kPercent},
    {"step", Rule::kStep, Name::kNone, Limit::kPercent},
    {"gpu", Rule::kGpu, Name::kNone, Limit::kPercent},
    {"self", Rule::kSelf, Name::kNeeded, Limit::kPercent},
    {"inclusive", Rule::kInclusive, Name::kNeeded, Limit::kPercent},
    {"kernel", Rule::kKernel, Name::kNeeded, Limit::kPercent},
    {"line", Rule::kLine, Name::kNeeded, Limit::kPercent},
    {"operator", Rule::kOperator, Name::kNeeded, Limit::kPercent},
    {"gpu_idle", Rule::kGpuIdle, Name::kNone, Limit::kPoints},
    {"variability", Rule::kVariability, Name::kRatio, Limit::kFactor},
    {"launches", Rule::kLaunches, Name::kOptional, Limit::kCount},
    {"calls", Rule::kCalls, Name::kNeeded, Limit::kCount},
    {"copies", Rule::kSum, Name::kKind, Limit::kCount},
    {"bytes", Rule::kSum, Name::kKind, Limit::kCount},
    {"syncs", Rule::kSum, Name::kNone, Limit::kCount},
    {"graphs", Rule::kSum, Name::kNone, Limit::kCount},
    {"processes", Rule::kSum, Name::kNone, Limit::kCount},
    {"threads", Rule::kSum, Name::kNone, Limit::kCount},
    {"finding", Rule::kFinding, Name::kOptional, Limit::kSaving},
};
constexpr char kAllWords[] =
    "total, step, gpu, self(RE), inclusive(RE), kernel(RE), line(RE), operator(RE), gpu_idle, "
    "variability(p95/median), launches, calls(RE), copies, bytes, syncs, graphs, processes, "
    "threads "
    "or finding";

// Parses a rule from left to right and stops at the first error.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool Parse(Rule& rule) {
    rule.text = Trimmed(text_);
    if (text_.size() > kLongestRule) return Fail("the rule is longer than 1000 bytes");
    return Subject(rule) && Comparison(rule) && Condition(rule);
  }

  RuleError error() const { return {what_, std::string(text_), place_, 0}; }

 private:
  bool Fail(std::string what) {
    what_ = std::move(what);
    return false;
  }

  char Next() const { return place_ < text_.size() ? text_[place_] : '\0'; }
  void SkipBlanks() {
    while (place_ < text_.size() && IsBlank(text_[place_])) ++place_;
  }
  bool Take(std::string_view word) {
    if (!text_.substr(std::min(place_, text_.size())).starts_with(word)) return false;
    place_ += word.size();
    return true;
  }
  std::string_view TakeWord() {
    const size_t begin = place_;
    while ((Next() >= 'a' && Next() <= 'z') || Next() == '_') ++place_;
    return text_.substr(begin, place_ - begin);
  }

  bool Subject(Rule& rule) {
    SkipBlanks();
    const size_t begin = place_;
    const std::string_view word = TakeWord();
    const auto* const found = std::find_if(std::begin(kWords), std::end(kWords),
                                           [&](const Word& one) { return one.word == word; });
    if (found == std::end(kWords)) {
      place_ = begin;
      return Fail(std::string("a rule must begin with ") + kAllWords);
    }
    word_ = found;
    rule.what = found->what;
    if (rule.what == Rule::kSum || rule.what == Rule::kLaunches) rule.sum = word;
    if (!NameOf(rule)) return false;
    if (Next() == '/') {
      if (!Take("/step")) return Fail("only '/step' may follow here");
      if (found->limit != Limit::kCount) {
        place_ -= 5;
        return Fail("only counts can be per step");
      }
      rule.per_step = true;
    }
    return true;
  }

  bool NameOf(Rule& rule) {
    if (Next() != '(') {
      if (word_->name == Name::kRatio) return Fail("'(p95/median)' is needed here");
      return word_->name != Name::kNeeded ||
             Fail("a name in parentheses is needed here, as in (gemm)");
    }
    if (word_->name == Name::kNone) return Fail("no name may follow here");
    const size_t open = place_, close = Closing(open);
    if (close == std::string_view::npos) return Fail("this parenthesis is not closed");
    const std::string name(Trimmed(text_.substr(open + 1, close - open - 1)));
    place_ = open + 1;
    if (name.empty()) return Fail("a name is needed here");
    if (word_->name == Name::kKind) {
      static constexpr const char* kKinds[] = {"H2D", "D2H", "D2D", "H2H", "P2P"};
      if (std::find(std::begin(kKinds), std::end(kKinds), name) == std::end(kKinds)) {
        return Fail("H2D, D2H, D2D, H2H or P2P is needed here");
      }
      rule.sum += " " + name;
    } else if (word_->name == Name::kRatio) {
      if (name != "p95/median") return Fail("'(p95/median)' is needed here");
    } else if (name != "*") {
      Result<Pattern> pattern = Pattern::Compile("the name", name);
      if (!pattern) return Fail(pattern.error().what);
      rule.pattern = std::move(*pattern);
    }
    place_ = close + 1;
    return true;
  }

  // Returns the position after the bracket expression that begins at `open`; npos if it has no end.
  // A ] right at its start does not end it, and neither does a ] in [:alpha:], [.x.] or [=x=].
  size_t BehindBrackets(size_t open) const {
    size_t i = open + 1;
    if (i < text_.size() && text_[i] == '^') ++i;
    if (i < text_.size() && text_[i] == ']') ++i;
    while (i < text_.size() && text_[i] != ']') {
      const char kind = text_[i] == '[' && i + 1 < text_.size() ? text_[i + 1] : '\0';
      if (kind == ':' || kind == '.' || kind == '=') {
        const size_t end = text_.find(std::string{kind, ']'}, i + 2);
        if (end == std::string_view::npos) return end;
        i = end + 2;
      } else {
        ++i;
      }
    }
    return i < text_.size() ? i + 1 : std::string_view::npos;
  }

  // Returns the position of the parenthesis that closes the one at `open`. Ignores parentheses in
  // bracket expressions and after a backslash.
  size_t Closing(size_t open) const {
    int depth = 0;
    for (size_t i = open; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '\\') {
        ++i;
      } else if (c == '[') {
        const size_t behind = BehindBrackets(i);
        if (behind != std::string_view::npos) i = behind - 1;
      } else if (c == '(') {
        ++depth;
      } else if (c == ')' && --depth == 0) {
        return i;
      }
    }
    return std::string_view::npos;
  }

  bool Comparison(Rule& rule) {
    SkipBlanks();
    if (!Take(">")) return Fail("'>' is needed here");
    SkipBlanks();
    if (!Number(rule.limit)) return false;
    const size_t unit = place_;
    rule.relative = Take("%");
    if (rule.relative) rule.limit /= 100;
    switch (word_->limit) {
      case Limit::kPercent:
        return rule.relative || Fail("a percentage is needed here, as in 5%");
      case Limit::kPoints:
        place_ = unit;
        rule.relative = false;
        if (!Take("pt")) return Fail("percentage points are needed here, as in 2pt");
        rule.limit /= 100;
        return true;
      case Limit::kCount:
        return rule.relative || Multiple(rule.limit);
      case Limit::kSaving:
        return rule.relative || Time(rule.limit) ||
               Fail("a percentage of a step or a time is needed here, as in 5% or 2ms");
      case Limit::kFactor:
        return true;
    }
    return false;
  }

  // Multiplies `limit` by a suffix: k, M, G; for bytes also kB, MB, GB, KiB, MiB, GiB.
  bool Multiple(double& limit) {
    static constexpr UnitFactor kUnits[] = {{"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
                                            {"kB", 1e3},   {"MB", 1e6},      {"GB", 1e9},
                                            {"k", 1e3},    {"M", 1e6},       {"G", 1e9}};
    TakeUnit(kUnits, limit);
    return true;
  }

  bool Time(double& limit) {
    static constexpr UnitFactor kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    return TakeUnit(kUnits, limit);
  }

  // Takes a unit from the text and multiplies `limit` by its factor. The first unit that fits is
  // taken, so longer units must come first.
  bool TakeUnit(std::span<const UnitFactor> units, double& limit) {
    for (const UnitFactor& unit : units) {
      if (!Take(unit.name)) continue;
      limit *= unit.factor;
      return true;
    }
    return false;
  }

  bool Number(double& number) {
    if (!IsAsciiDigit(Next())) return Fail("a number is needed here");
    const size_t begin = place_;
    number = 0;
    while (IsAsciiDigit(Next())) number = number * 10 + (text_[place_++] - '0');
    if (Take(".")) {
      if (!IsAsciiDigit(Next())) return Fail("a digit is needed here");
      for (double unit = 0.1; IsAsciiDigit(Next()); unit /= 10)
        number += unit * (text_[place_++] - '0');
    }
    if (number <= 1e15) return true;
    place_ = begin;
    return Fail("this number is too large");
  }

  bool Condition(Rule& rule) {
    SkipBlanks();
    if (place_ == text_.size()) return true;
    if (!Take("if ")) return Fail("only 'if share>' may follow here");
    SkipBlanks();
    const bool has_share = rule.what == Rule::kSelf || rule.what == Rule::kInclusive ||
                           rule.what == Rule::kKernel || rule.what == Rule::kLine ||
                           rule.what == Rule::kOperator;
    if (!has_share) return Fail("only functions, kernels, lines and operators have a share");
    if (!Take("share")) return Fail("'share' is needed here");
    SkipBlanks();
    if (!Take(">")) return Fail("'>' is needed here");
    SkipBlanks();
    double share = 0;
    if (!Number(share)) return false;
    if (!Take("%")) return Fail("a percentage is needed here, as in 1%");
    rule.least_share = share / 100;
    SkipBlanks();
    return place_ == text_.size() || Fail("nothing may follow here");
  }

  const std::string_view text_;
  size_t place_ = 0;
  const Word* word_ = nullptr;
  std::string what_;
};

}  // namespace

bool RuleSet::AskForFindings() const {
  return std::any_of(rules.begin(), rules.end(),
                     [](const Rule& rule) { return rule.what == Rule::kFinding; });
}

std::optional<RuleError> AddRule(std::string_view text, RuleSet& set) {
  Rule rule;
  Parser parser(text);
  if (!parser.Parse(rule)) return parser.error();
  if (set.rules.size() >= kMaxRules) return RuleError{"more than 1000 rules", rule.text, 0, 0};
  set.rules.push_back(std::move(rule));
  return std::nullopt;
}

std::optional<RuleError> AddRulesOf(std::string_view file, RuleSet& set) {
  for (size_t number = 1; !file.empty(); ++number) {
    const size_t end = std::min(file.find('\n'), file.size());
    const std::string_view line = Trimmed(file.substr(0, end));
    file.remove_prefix(std::min(end + 1, file.size()));
    if (line.empty() || line.front() == '#') continue;
    std::optional<RuleError> error;
    if (IsSuppression(line)) {
      error = ParseSuppression(line, set.suppressions.emplace_back());
      set.suppressions.back().line = number;
    } else {
      error = AddRule(line, set);
    }
    if (!error) continue;
    error->line = number;
    return error;
  }
  return std::nullopt;
}

}  // namespace gprofx::compare
