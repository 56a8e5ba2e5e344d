// Comparisons made by hand for the tests of what is written of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cli/diff/diff.h"
#include "cli/diff/outputs/place.h"

namespace gprofx::testing {

using compare::Change;
using compare::Diff;
using compare::Outcome;
using compare::Verdict;

inline constexpr size_t kEnough = 1 << 20;

inline Outcome Tested(Verdict verdict, double base, double head) {
  Outcome outcome;
  outcome.tested = true;
  outcome.verdict = verdict;
  outcome.base = base * 1e9;
  outcome.head = head * 1e9;
  outcome.share = 0.25;
  outcome.estimate = {std::log(head / base), 0.01, 8};
  outcome.interval = {outcome.estimate.effect - 0.02, outcome.estimate.effect + 0.02};
  outcome.detectable = 0.02;
  return outcome;
}

inline Change ChangeOf(const std::string& name, Verdict verdict,
                       const std::string& file = "/top/a.py") {
  Change change;
  change.part.kind = FrameKind::kPython;
  change.part.name = name;
  change.part.file = file;
  change.part.line = 88;
  change.outcome = Tested(verdict, 1, verdict == Verdict::kImprovement ? 0.8 : 1.2);
  return change;
}

inline Diff DiffOf(const std::string& name, const std::string& file = "/top/a.py") {
  Diff diff;
  diff.base_runs = diff.head_runs = 5;
  diff.paired = true;
  diff.metric = "cpu";
  diff.total = Tested(Verdict::kRegression, 10, 10.4);
  diff.functions = {ChangeOf(name, Verdict::kRegression, file),
                    ChangeOf("b" + name, Verdict::kImprovement),
                    ChangeOf("c" + name, Verdict::kInconclusive)};
  diff.kernels = {ChangeOf("k" + name, Verdict::kRegression, "")};
  diff.kernels[0].part.kind = FrameKind::kGpuKernel;
  diff.gpu_total = Tested(Verdict::kEquivalent, 5, 5);
  diff.counts = {{"launches: " + name + " [1x1x1, 32x1x1]", 100, 101}};
  diff.differences = {{compare::Obstacle::kWorkload, name, name, "y"}};
  diff.verdict = Verdict::kRegression;
  compare::RuleResult rule;
  rule.rule = "self(" + name + ")>5%";
  rule.fired = true;
  rule.verdict = Verdict::kRegression;
  rule.evidence = name + " +20%";
  rule.subject = compare::RuleResult::kFunction;
  diff.rules = {rule};
  rule.suppressed_by = name + " until 2030-01-01";
  diff.rules.push_back(rule);
  return diff;
}

inline OutputPlace Place() {
  OutputPlace place;
  place.roots = {"/top"};
  place.fallback = "head/0.gprofx";
  return place;
}

inline DiffSurroundings Around(const std::string& name = "0") {
  return {{120, false}, {"base/" + name}, {"head/" + name}};
}

inline std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

inline std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (int byte = 0; byte < 256; ++byte) {
    names.push_back(std::string("a") + static_cast<char>(byte) + "z");
  }
  for (const char* name :
       {"</script><img src=x onerror=alert(1)>", "x\n::error::y", "x\r\n::set-output name=a::b",
        "../../etc/passwd", "]]>", "|`a`|<b>**", "@everyone www.example.com https://e.com",
        "\x1b[31mred\x1b[0m", "##[error]x", "\xEF\xBF\xBF\xEF\xBF\xBE", "\xED\xA0\x80", "%0A%25",
        "a,b:c=d", "\\\"\n"}) {
    names.emplace_back(name);
  }
  names.emplace_back(10'000, 'x');
  names.push_back(std::string(5'000, '\xFF') + std::string(5'000, '<'));
  return names;
}

}  // namespace gprofx::testing
