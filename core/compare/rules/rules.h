// What a team does not want of a change: rules such as `total>1%`, and for how long somebody
// answers for breaking one. Parsing is here, what became of the rules in rule_check.h.
//
//   RULE        WHAT[(NAME)][/step] > LIMIT [if share > PERCENT%]
//   times       total  step  gpu  self(RE)  inclusive(RE)  kernel(RE)  line(RE)  operator(RE)   5%
//   points      gpu_idle                                                                       2pt
//   factors     variability(p95/median), of step times                                        1.5,
//   10% counts      launches[(RE)]  calls(RE)  copies[(KIND)]  bytes[(KIND)]  syncs  graphs
//   processes
//               threads; with /step of a step                                0, 10, 1.5M, 1MiB, 5%
//   findings    finding[(RE)]: a new one that would save more than           5% of a step, 2ms
//   KIND        H2D  D2H  D2D  H2H  P2P
//
// RE is a POSIX extended expression that is found anywhere in the name (core/views/naming/match.h,
// which bounds what a hostile one may cost); * alone is any name. It ends at the parenthesis that
// closes the first one. A file has a rule or a suppression (suppressions.h) on each line; a line
// that begins with # is a comment. Pure; one thread.
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
    kSum,  // a count as a whole: `sum` names it
    kFinding,
    kVariability,
  } what = kTotal;
  std::string text;                // as it was written
  std::optional<Pattern> pattern;  // nothing = any name
  std::string sum;                 // "launches", "bytes H2D", ...
  bool per_step = false;
  double limit = 0;      // a ratio, a share, a count, or nanoseconds
  bool relative = true;  // the limit is a ratio
  std::optional<double> least_share;
};

struct RuleSet {
  std::vector<Rule> rules;
  std::vector<Suppression> suppressions;

  bool empty() const { return rules.empty() && suppressions.empty(); }
  bool AskForFindings() const;  // so runs are read with them
};

// Adds to the set; the error where it cannot be understood.
std::optional<RuleError> AddRule(std::string_view text, RuleSet& set);
std::optional<RuleError> AddRulesOf(std::string_view file, RuleSet& set);

}  // namespace gprofx::compare
