// Rules as they are written, and what is wrong with those that cannot be understood.
#include "core/compare/rules/rules.h"

#include <catch2/catch.hpp>

namespace gprofx::compare {
namespace {

Rule Parsed(const std::string& text) {
  RuleSet set;
  const std::optional<RuleError> error = AddRule(text, set);
  INFO(text << ": " << (error ? error->what : ""));
  REQUIRE_FALSE(error);
  return set.rules.front();
}

// The place that is wrong, as "what comes before it|what comes there".
std::string Wrong(const std::string& text) {
  RuleSet set;
  const std::optional<RuleError> error = AddRule(text, set);
  if (!error) return "";
  CHECK(set.rules.empty());
  CHECK_FALSE(error->what.empty());
  REQUIRE(error->place <= text.size());
  return text.substr(0, error->place) + "|" + text.substr(error->place);
}

std::optional<RuleError> File(const std::string& text, RuleSet& set) {
  return AddRulesOf(text, set);
}

}  // namespace

TEST_CASE("rules of all kinds are understood") {
  Rule rule = Parsed("total>1%");
  CHECK(rule.what == Rule::kTotal);
  CHECK(rule.limit == Approx(0.01));
  rule = Parsed("  self( at::native::(add|mul)\\( ) > 5.5% if share > 1% ");
  CHECK(rule.what == Rule::kSelf);
  CHECK(rule.limit == Approx(0.055));
  CHECK(*rule.least_share == Approx(0.01));
  CHECK(rule.pattern->Matches("at::native::mul(int)"));
  CHECK_FALSE(rule.pattern->Matches("at::native::sub(int)"));
  CHECK(rule.text == "self( at::native::(add|mul)\\( ) > 5.5% if share > 1%");
  CHECK_FALSE(Parsed("inclusive(*)>5%").pattern);
  CHECK(Parsed("kernel([)(]x)>5%").pattern->Matches("(x"));
  CHECK(Parsed("self([[:alpha:])])>1%").pattern->Matches(")"));
  CHECK(Parsed("self([^])]x)>1%").pattern->Matches("ax"));
  CHECK(Parsed("self(([[.].]([=a=])]b))>1%").pattern->Matches("(b"));
  CHECK(Parsed("line(forward)>5%").what == Rule::kLine);
  CHECK(Parsed("operator(add_)>5%").what == Rule::kOperator);
  CHECK(Parsed("step>2%").what == Rule::kStep);
  CHECK(Parsed("gpu>0%").limit == 0);
  rule = Parsed("gpu_idle>2pt");
  CHECK(rule.limit == Approx(0.02));
  CHECK_FALSE(rule.relative);
  rule = Parsed("variability( p95/median ) > 1.5");
  CHECK(rule.what == Rule::kVariability);
  CHECK(rule.limit == Approx(1.5));
  CHECK_FALSE(rule.relative);
  CHECK(Parsed("variability(p95/median)>10%").relative);
  rule = Parsed("launches/step>0");
  CHECK(rule.per_step);
  CHECK_FALSE(rule.pattern);
  CHECK(rule.sum == "launches");
  CHECK(Parsed("launches(gemm)/step>0").pattern->Matches("a gemm"));
  rule = Parsed("bytes(H2D)/step>1.5MiB");
  CHECK(rule.sum == "bytes H2D");
  CHECK(rule.limit == Approx(1.5 * 1024 * 1024));
  CHECK(Parsed("bytes>10k").limit == 10'000);
  CHECK(Parsed("copies(D2H)>5%").relative);
  CHECK(Parsed("calls(cuStreamSynchronize)/step>0").what == Rule::kCalls);
  rule = Parsed("finding>5%");
  CHECK(rule.what == Rule::kFinding);
  CHECK(rule.limit == Approx(0.05));
  rule = Parsed("finding(sync-in-step)>1.5ms");
  CHECK(rule.limit == Approx(1.5e6));
  CHECK_FALSE(rule.relative);
  CHECK(Parsed("finding>20us").limit == Approx(20e3));
  for (const char* sum : {"syncs", "graphs", "processes", "threads"}) {
    CHECK(Parsed(std::string(sum) + ">0").sum == sum);
  }
}

TEST_CASE("what is wrong with a rule has a place") {
  CHECK(Wrong("") == "|");
  CHECK(Wrong("totl>1%") == "|totl>1%");
  CHECK(Wrong("total>>1%") == "total>|>1%");
  CHECK(Wrong("total 1%") == "total |1%");
  CHECK(Wrong("total>1") == "total>1|");
  CHECK(Wrong("total>1pt") == "total>1|pt");
  CHECK(Wrong("total>-1%") == "total>|-1%");
  CHECK(Wrong("finding>5") == "finding>5|");
  CHECK(Wrong("finding>5pt") == "finding>5|pt");
  CHECK(Wrong("finding/step>5%") == "finding|/step>5%");
  CHECK(Wrong("total>1.%") == "total>1.|%");
  CHECK(Wrong("total>1% or so") == "total>1% |or so");
  CHECK(Wrong("total>1% if share>1%") == "total>1% if |share>1%");
  CHECK(Wrong("total(x)>1%") == "total|(x)>1%");
  CHECK(Wrong("total/step>1%") == "total|/step>1%");
  CHECK(Wrong("self>1%") == "self|>1%");
  CHECK(Wrong("self()>1%") == "self(|)>1%");
  CHECK(Wrong("self(a(b)>1%") == "self|(a(b)>1%");
  CHECK(Wrong("self(a{)>1%") == "self(|a{)>1%");
  CHECK(Wrong("self(a)>1% if share>1") == "self(a)>1% if share>1|");
  CHECK(Wrong("self(a)>1% if share>1% x") == "self(a)>1% if share>1% |x");
  CHECK(Wrong("bytes(h2d)>0") == "bytes(|h2d)>0");
  CHECK(Wrong("launches/run>0") == "launches|/run>0");
  CHECK(Wrong("variability>1.5") == "variability|>1.5");
  CHECK(Wrong("variability(max/median)>1.5") == "variability(|max/median)>1.5");
  CHECK(Wrong("variability(p95/median)/step>1.5") == "variability(p95/median)|/step>1.5");
  CHECK(Wrong("variability(p95/median)>1.5pt") == "variability(p95/median)>1.5|pt");
  CHECK(Wrong("gpu_idle>2%") == "gpu_idle>2|%");
  CHECK(Wrong("launches>99999999999999999999") == "launches>|99999999999999999999");
  CHECK_FALSE(Wrong(std::string(2000, 'x')).empty());
  CHECK_FALSE(Wrong(std::string("total>1%\0", 9)).empty());
}

TEST_CASE("names that cost exponential time or memory are refused") {
  CHECK_FALSE(Wrong("self((a*)\\1)>1%").empty());
  CHECK_FALSE(Wrong("self(((a{99}){99}){99})>1%").empty());
  CHECK_FALSE(Wrong("self(" + std::string(600, 'a') + ")>1%").empty());
  // What automata do in linear time is not.
  CHECK_FALSE(Parsed("self((a*)*b)>1%").pattern->Matches(std::string(4000, 'a')));
}

TEST_CASE("a file has rules, suppressions and comments") {
  RuleSet set;
  REQUIRE_FALSE(
      File("# of the team\n\n  total>1%\r\nself(#1)>5%\n"
           "suppress self(#1)>5% owner=Ada Lovelace until=2026-02-28 because=x=y, \t"
           "until=later\n",
           set));
  REQUIRE(set.rules.size() == 2);
  CHECK(set.rules[1].pattern->Matches("#1"));
  REQUIRE(set.suppressions.size() == 1);
  const Suppression& one = set.suppressions.front();
  CHECK(one.what == "self(#1)>5%");
  CHECK(one.owner == "Ada Lovelace");
  CHECK(one.because == "x=y, \tuntil=later");
  CHECK(one.line == 5);
  CHECK(one.Text() == "Ada Lovelace until 2026-02-28: x=y, \tuntil=later");
  CHECK(ExpiredOn(20260228, set.suppressions) == nullptr);
  CHECK(ExpiredOn(20260301, set.suppressions) == &one);
  CHECK(ExpiredOn(20270101, set.suppressions) == &one);
}

TEST_CASE("an error in a file has its line") {
  const auto wrong = [](const std::string& text) {
    RuleSet set;
    const std::optional<RuleError> error = File(text, set);
    REQUIRE(error);
    return std::to_string(error->line) + ":" + std::to_string(error->place);
  };
  CHECK(wrong("total>1%\n\nstep>x\n") == "3:5");
  const std::string start = "suppress gemm owner=a until=";
  CHECK(wrong(start + "2026-02-30 because=b") == "1:28");
  CHECK(wrong(start + "tomorrow because=b") == "1:28");
  CHECK(wrong(start + "2025-12-1 because=b") == "1:28");
  CHECK(wrong(start + "2025-12-01") == "1:38");
  CHECK(wrong(start + "2025-12-01 because= ") == "1:47");
  CHECK(wrong("suppress gemm until=2026-12-01 because=b") == "1:40");
  CHECK(wrong("suppress  owner=a until=2026-12-01 because=b") == "1:9");
  CHECK(wrong("suppress " + std::string(2000, 'x')) == "1:1000");
}

}  // namespace gprofx::compare
