// Parses rules, such as `total>1%`, and suppressions of them. A rule says which changes a team does
// not accept. rule_check.h checks rules.
//
//   RULE        WHAT[(NAME)][/step] > LIMIT [if share > PERCENT%]
//   times       total step gpu self(RE) inclusive(RE) kernel(RE) line(RE) operator(RE): 5%
//   points      gpu_idle: 2pt
//   factors     variability(p95/median), of step times: 1.5, 10%
//   counts      launches[(RE)] calls(RE) copies[(KIND)] bytes[(KIND)] syncs graphs
//               processes threads; with /step per step: 0, 10, 1.5M, 1MiB, 5%
//   findings    finding[(RE)], a new one that would save more than: 5% of a step, 2ms
//   KIND        H2D D2H D2D H2H P2P
//
// RE is a POSIX extended expression that may match anywhere in the name. core/views/naming/match.h
// limits what a hostile expression can cost. A single * matches any name. RE ends at the
// parenthesis that closes the one before it. A file has one rule or suppression (suppressions.h)
// per line; a line that begins with # is a comment. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/rules/suppressions.h"
#include "core/views/naming/match.h"

namespace gprofx::compare {

struct Rule {
  enum What : uint8_t {
    kTotal,
    kStep,
    kGpu,
    kSelf,
    kInclusive,
    kKernel,
    kLine,
    kOperator,
    kGpuIdle,
    kLaunches,
    kCalls,
    kSum,  // total of a count, whose name is in `sum`
    kFinding,
    kVariability,
  } what = kTotal;
  std::string text;                // the rule as written
  std::optional<Pattern> pattern;  // unset = any name
  std::string sum;                 // "launches", "bytes H2D", ...
  bool per_step = false;
  double limit = 0;      // a ratio, a share, a count, or nanoseconds
  bool relative = true;  // `limit` is a ratio
  std::optional<double> least_share;
};

struct RuleSet {
  std::vector<Rule> rules;
  std::vector<Suppression> suppressions;

  bool empty() const { return rules.empty() && suppressions.empty(); }
  // True if some rule is about findings: runs must then be read with findings.
  bool AskForFindings() const;
};

// Both add to `set`: AddRule a single rule, AddRulesOf the rules and suppressions in the text of a
// file. They return an error if the text is invalid.
std::optional<RuleError> AddRule(std::string_view text, RuleSet& set);
std::optional<RuleError> AddRulesOf(std::string_view file, RuleSet& set);

}  // namespace gprofx::compare
