// What becomes of rules in comparisons of runs made by hand.
#include "core/compare/rules/rule_check.h"

#include "runs.h"

namespace gprofx::compare {

using namespace testing;

namespace {

// The comparison with its rules and suppressions, one a line.
Diff Checked(const Sides& sides, const std::string& rules) {
  RuleSet set;
  REQUIRE_FALSE(AddRulesOf(rules, set));
  Diff diff = Compared(sides);
  CheckRules(set, {}, diff);
  return diff;
}

Verdict VerdictOf(const Sides& sides, const std::string& rules) {
  return RuledVerdict(Checked(sides, rules));
}

Sides Slower(const std::string& function, double factor, int pairs = 8) {
  Work head{Usual()};
  head.functions[function] *= factor;
  return Pairs({Usual()}, head, pairs);
}

Sides Same(int pairs = 8) { return Pairs({Usual()}, {Usual()}, pairs); }

}  // namespace

TEST_CASE("a rule about times fires beyond its limit only") {
  const Sides sides = Slower("f12", 1.2);
  const Diff diff = Checked(sides, "self(f12)>10%");
  REQUIRE(diff.rules.size() == 1);
  CHECK(diff.rules[0].fired);
  CHECK(diff.rules[0].subject == RuleResult::kFunction);
  CHECK(diff.functions[diff.rules[0].change].part.name == "f12");
  CHECK(diff.rules[0].evidence.starts_with("f12 +"));
  CHECK(RuledVerdict(diff) == Verdict::kRegression);
  // The data says regression, the team says that this much does not matter.
  CHECK(diff.verdict == Verdict::kRegression);
  CHECK(VerdictOf(sides, "self(f12)>40%") == Verdict::kEquivalent);
  CHECK(VerdictOf(sides, "self(f11)>10%") == Verdict::kEquivalent);
  // What was seen is beyond the limit, and it is not sure.
  CHECK(VerdictOf(sides, "self(f12)>20.5%") == Verdict::kEquivalent);
}

TEST_CASE("of all functions the one that is slower fires, and no other") {
  const Diff diff = Checked(Slower("f13", 1.3), "self(*)>5% if share>1%");
  REQUIRE(diff.rules.size() == 1);
  CHECK(diff.functions[diff.rules[0].change].part.name == "f13");
  CHECK(RuledVerdict(Checked(Same(), "self(*)>5% if share>1%")) == Verdict::kEquivalent);
}

TEST_CASE("the whole is judged by its own rule") {
  Work head{Usual()};
  for (auto& [name, seconds] : head.functions) seconds *= 1.05;
  const Sides sides = Pairs({Usual()}, head, 12);
  CHECK(VerdictOf(sides, "total>2%") == Verdict::kRegression);
  CHECK(VerdictOf(sides, "total>10%") == Verdict::kEquivalent);
  CHECK(VerdictOf(Same(12), "total>2%") == Verdict::kEquivalent);
}

TEST_CASE("what cannot be told is never fine") {
  const Sides one = Slower("f12", 2, 1);
  for (const char* rule :
       {"total>1%", "step>1%", "gpu>1%", "self(f12)>5%", "kernel(x)>1%", "line(x)>1%",
        "operator(x)>1%", "gpu_idle>2pt", "launches/step>0", "self(no such function)>5%"}) {
    INFO(rule);
    CHECK(VerdictOf(one, rule) == Verdict::kInconclusive);
  }
  // So much noise that twice the limit is possible.
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Sides noisy = Same(5);
  for (auto* side : {&noisy.base, &noisy.head}) {
    for (Run& run : *side) run.total_ns *= std::exp(0.1 * normal(random));
  }
  CHECK(VerdictOf(noisy, "total>1%") == Verdict::kInconclusive);
  // An obstacle beats every rule.
  Sides other = Slower("f12", 2);
  other.head[0].machine["GPUs"] = "A100";
  CHECK(VerdictOf(other, "processes>0") == Verdict::kInconclusive);
  CHECK(VerdictOf(other, "self(f12)>5%") == Verdict::kInconclusive);
}

TEST_CASE("counts are exact: one run of each is enough") {
  Work head{Usual()};
  head.launches = 101;
  Sides sides = Pairs({Usual()}, head, 1);
  for (auto* side : {&sides.base, &sides.head}) {
    for (Run& run : *side) run.sums["launches"] = run.counts.at("launches: gemm [8x1x1, 128x1x1]");
  }
  CHECK(VerdictOf(sides, "launches>0") == Verdict::kRegression);
  CHECK(VerdictOf(sides, "launches>1") == Verdict::kEquivalent);
  CHECK(VerdictOf(sides, "launches>0.5%") == Verdict::kRegression);
  CHECK(VerdictOf(sides, "launches>1%") == Verdict::kEquivalent);
  CHECK(VerdictOf(sides, "launches(^gemm$)>0") == Verdict::kRegression);
  CHECK(VerdictOf(sides, "launches(attention)>0") == Verdict::kInconclusive);
  CHECK(VerdictOf(sides, "calls(Synchronize)>0") == Verdict::kInconclusive);
  CHECK(VerdictOf(sides, "bytes(H2D)>0") == Verdict::kEquivalent);
  CHECK(Checked(sides, "launches>0").rules[0].evidence == "launches per run: 100 -> 101");
  // Where runs of a side differ, all of the head must have more than all of the base.
  sides.base.push_back(sides.base[0]);
  sides.head.push_back(sides.head[0]);
  sides.base[1].sums["launches"] = 101;
  CHECK(VerdictOf(sides, "launches>0") == Verdict::kInconclusive);
  CHECK(VerdictOf(sides, "launches>1") == Verdict::kEquivalent);
  sides.head[0].sums["launches"] = sides.head[1].sums["launches"] = 102;
  CHECK(VerdictOf(sides, "launches>0") == Verdict::kRegression);
  // Records that are not all that there was prove nothing.
  sides.head[1].counts_are_exact = false;
  CHECK(VerdictOf(sides, "launches>0") == Verdict::kInconclusive);
}

TEST_CASE("of a GPU that was not recorded nothing can be told") {
  Sides sides = Same(1);
  for (auto* side : {&sides.base, &sides.head}) side->front().counts = {{"threads", 4}};
  for (const char* rule : {"launches>0", "launches(gemm)>0", "calls(*)>0", "syncs>0", "graphs>5%",
                           "copies>0", "bytes(H2D)>1MiB"}) {
    INFO(rule);
    const Diff diff = Checked(sides, rule);
    CHECK(RuledVerdict(diff) == Verdict::kInconclusive);
    CHECK(diff.rules[0].evidence == "neither side has a recording of the GPU");
  }
  CHECK(VerdictOf(sides, "processes>0") == Verdict::kEquivalent);
  // Of one side alone: it does now what it did not.
  sides.head[0].sums = {{"syncs", 3}};
  CHECK(VerdictOf(sides, "syncs>0") == Verdict::kRegression);
  CHECK(VerdictOf(sides, "graphs>0") == Verdict::kEquivalent);
}

TEST_CASE("what is new fires where the whole is slower, and never holds") {
  Work head{Usual()};
  head.functions["made"] = 15;
  for (const char* rule : {"self(*)>5%", "self(^made$)>5%", "self(*)>900% if share>5%"}) {
    INFO(rule);
    const Diff diff = Checked(Pairs({Usual()}, head, 8), rule);
    REQUIRE(diff.rules.size() == 1);
    CHECK(diff.rules[0].fired);
    CHECK(diff.functions[diff.rules[0].change].part.name == "made");
    CHECK(diff.rules[0].evidence.starts_with("made is new, with "));
  }
  CHECK(VerdictOf(Pairs({Usual()}, head, 8), "self(*)>5% if share>50%") == Verdict::kEquivalent);
  CHECK(VerdictOf(Pairs({Usual()}, head, 1), "self(made)>5%") == Verdict::kInconclusive);
  // In some runs only.
  Sides some = Pairs({Usual()}, head, 8);
  some.head[3].functions.erase("made");
  CHECK(VerdictOf(some, "self(made)>5%") == Verdict::kInconclusive);
  // Split off from another.
  Work split{Usual()};
  split.functions["f10"] -= 3;
  split.functions["made"] = 3;
  CHECK(VerdictOf(Pairs({Usual()}, split, 8), "self(made)>5%") == Verdict::kInconclusive);
}

TEST_CASE("what is renamed is compared with what it took under its old name") {
  const auto renamed = [](double factor) {
    Work head{Usual()};
    head.functions["render"] = head.functions["f10"] * factor;
    head.functions.erase("f10");
    return Pairs({Usual()}, head, 12);
  };
  const Diff diff = Checked(renamed(1.15), "self(render)>5%");
  REQUIRE(ChangeOf(diff, "render").fate == Change::kRenamed);
  CHECK(diff.rules[0].fired);
  CHECK(diff.rules[0].evidence.starts_with("render (was f10) +1"));
  CHECK(VerdictOf(renamed(1.15), "self(^f10$)>5%") == Verdict::kRegression);
  CHECK(VerdictOf(renamed(1.15), "self(render)>40%") == Verdict::kEquivalent);
  CHECK(VerdictOf(renamed(1), "self(render)>5%") == Verdict::kEquivalent);
}

TEST_CASE("idle time of the GPU is compared in points") {
  Sides sides = Same();
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const auto set = [&](std::vector<Run>& side, double idle) {
    for (Run& run : side) {
      run.wall_ns = 1e9;
      run.gpu_idle_ns = run.wall_ns * (idle + 0.002 * normal(random));
    }
  };
  set(sides.base, 0.20);
  set(sides.head, 0.25);
  CHECK(VerdictOf(sides, "gpu_idle>2pt") == Verdict::kRegression);
  CHECK(VerdictOf(sides, "gpu_idle>8pt") == Verdict::kEquivalent);
  set(sides.head, 0.20);
  CHECK(VerdictOf(sides, "gpu_idle>2pt") == Verdict::kEquivalent);
}

TEST_CASE("how much steps vary is compared with the base, or with a number") {
  Sides sides = Same();
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const auto set = [&](std::vector<Run>& side, double spread) {
    for (Run& run : side) run.step_spread = spread * std::exp(0.01 * normal(random));
  };
  CHECK(VerdictOf(sides, "variability(p95/median)>1.5") == Verdict::kInconclusive);
  CHECK(VerdictOf(sides, "variability(p95/median)>10%") == Verdict::kInconclusive);
  set(sides.base, 1.2);
  set(sides.head, 1.5);
  CHECK(VerdictOf(sides, "variability(p95/median)>10%") == Verdict::kRegression);
  CHECK(VerdictOf(sides, "variability(p95/median)>40%") == Verdict::kEquivalent);
  CHECK(VerdictOf(sides, "variability(p95/median)>1.4") == Verdict::kRegression);
  CHECK(VerdictOf(sides, "variability(p95/median)>1.6") == Verdict::kEquivalent);
  sides.head.front().step_spread = 1.3;
  CHECK(VerdictOf(sides, "variability(p95/median)>1.4") == Verdict::kInconclusive);
  set(sides.head, 1.2);
  CHECK(VerdictOf(sides, "variability(p95/median)>10%") == Verdict::kEquivalent);
  sides.head.front().step_spread = 0;  // too few steps
  CHECK(VerdictOf(sides, "variability(p95/median)>1.4") == Verdict::kInconclusive);
}

TEST_CASE("what is suppressed fails nothing, and is listed") {
  const Sides sides = Slower("f12", 1.1, 12);
  const std::string who = " owner=Ada until=2999-01-01 because=known\n";
  Diff diff = Checked(sides, "self(*)>5%\nsuppress f12" + who);
  REQUIRE(diff.rules.size() == 1);
  CHECK(diff.rules[0].fired);
  CHECK(diff.rules[0].suppressed_by == "Ada until 2999-01-01: known");
  CHECK(RuledVerdict(diff) == Verdict::kEquivalent);
  CHECK(VerdictOf(sides, "self(*)>5%\nsuppress self(*)>5%" + who) == Verdict::kEquivalent);
  CHECK(VerdictOf(sides, "self(*)>5%\nsuppress f13" + who) == Verdict::kRegression);
  // Without rules the verdict of the data goes without it.
  diff = Checked(sides, "suppress f12" + who);
  CHECK(ChangeOf(diff, "f12").suppressed_by == "Ada until 2999-01-01: known");
  CHECK(ChangeOf(diff, "f12").outcome.verdict == Verdict::kRegression);
  CHECK(diff.total.verdict != Verdict::kRegression);
  CHECK(RuledVerdict(diff) != Verdict::kRegression);
}

TEST_CASE("time that moved fires no rule") {
  Work head{Usual()};
  head.functions["f11"] += 1.2;
  head.functions["f10"] -= 1.2;
  const Sides sides = Pairs({Usual()}, head, 12);
  const Diff diff = Checked(sides, "self(*)>5%");
  CHECK(RuledVerdict(diff) != Verdict::kRegression);
  CHECK(ChangeOf(diff, "f11").moved);
}

TEST_CASE("where there was a second look a rule fires only if that shows it as well") {
  const auto checked = [](const Sides& sides, const Sides& fresh, const std::string& rule) {
    RuleSet set;
    REQUIRE_FALSE(AddRule(rule, set));
    Diff diff = Compared(sides);
    const Diff again = Compared(fresh);
    CheckRules(set, {}, diff, &again);
    return diff;
  };
  Work head{Usual()};
  for (auto& [name, seconds] : head.functions) seconds *= 1.1;
  head.functions["f12"] *= 1.3;
  head.functions["made"] = 15;
  const Sides slower = Pairs({Usual()}, head, 12), fresh = Pairs({Usual()}, head, 6, 2);
  const Sides same = Pairs({Usual()}, {Usual()}, 6, 3);
  for (const char* rule : {"total>5%", "self(f12)>5%", "self(made)>5%"}) {
    INFO(rule);
    CHECK(RuledVerdict(checked(slower, fresh, rule)) == Verdict::kRegression);
    const Diff refuted = checked(slower, same, rule);
    CHECK(RuledVerdict(refuted) == Verdict::kInconclusive);
    CHECK(refuted.rules[0].evidence.ends_with("fresh runs did not confirm it"));
  }
  CHECK(RuledVerdict(checked(slower, same, "threads>0")) == Verdict::kEquivalent);
}

TEST_CASE("fresh runs are asked for where a rule about times may fire") {
  const auto needs = [](const Sides& sides, const std::string& lines) {
    RuleSet set;
    REQUIRE_FALSE(AddRulesOf(lines, set));
    return RulesNeedConfirmation(set, {}, Compared(sides));
  };
  const Sides slower = Slower("f12", 1.3, 6);
  CHECK(needs(slower, "self(f12)>5%"));
  CHECK_FALSE(needs(slower, "self(f12)>80%"));
  CHECK_FALSE(needs(slower,
                    "self(f12)>5%\n"
                    "suppress f12 owner=Ada until=2999-01-01 because=known\n"));
  Work more{Usual()};
  more.launches = 101;
  CHECK_FALSE(needs(Pairs({Usual()}, more, 6), "launches(gemm)>0"));
}

namespace {

RunFinding Found(const char* function, double share, uint32_t line = 10,
                 const char* rule = "sync-in-step") {
  const auto ns = static_cast<int64_t>(share * 1e8);  // steps of 100 ms
  return {rule, function, "/home/ada/train.py", line, ns, share};
}

// Eight pairs, in which all runs of a side have these.
Sides WithFindings(const std::vector<RunFinding>& base, const std::vector<RunFinding>& head) {
  Sides sides = Same();
  for (Run& run : sides.base) run.findings = base;
  for (Run& run : sides.head) run.findings = head;
  return sides;
}

}  // namespace

TEST_CASE("a new finding fires, and one that is known does not") {
  const RunFinding old = Found("train", 0.3);
  const Diff diff = Checked(WithFindings({old}, {old, Found("load", 0.2)}), "finding>5%");
  REQUIRE(diff.rules.size() == 1);
  CHECK(diff.rules[0].fired);
  CHECK(diff.rules[0].subject == RuleResult::kFinding);
  CHECK(diff.findings.at(diff.rules[0].change).example.function == "load");
  CHECK(diff.rules[0].evidence.find("sync-in-step in load (/home/ada/train.py:10)") == 0);
  CHECK(RuledVerdict(diff) == Verdict::kRegression);
  // The same one elsewhere in its file, in another folder, and larger.
  RunFinding moved = Found("train", 0.5, 90);
  moved.file = "/tmp/other/train.py";
  CHECK(VerdictOf(WithFindings({old}, {moved}), "finding>5%") == Verdict::kEquivalent);
  CHECK(VerdictOf(WithFindings({old}, {}), "finding>0%") == Verdict::kEquivalent);
  CHECK(VerdictOf(WithFindings({old}, {Found("train", 0.3, 10, "pageable-copy")}), "finding>5%") ==
        Verdict::kRegression);
}

TEST_CASE("one more finding of a kind is new, with the smallest saving of them") {
  const std::vector<RunFinding> one = {Found("train", 0.3)};
  const Sides sides = WithFindings(one, {Found("train", 0.1, 12), Found("train", 0.3, 40)});
  const Diff diff = Checked(sides, "finding>5%");
  REQUIRE(diff.rules.size() == 1);
  CHECK(diff.rules[0].fired);
  CHECK(diff.findings[diff.rules[0].change].example.line == 12);
  CHECK(VerdictOf(sides, "finding>15%") == Verdict::kEquivalent);
}

TEST_CASE("a rule about findings has a limit and a name") {
  const Sides sides = WithFindings({}, {Found("load", 0.2), Found("train", 0.02)});
  CHECK(Checked(sides, "finding>1%").rules.size() == 2);
  CHECK(VerdictOf(sides, "finding>25%") == Verdict::kEquivalent);
  CHECK(VerdictOf(sides, "finding>19ms") == Verdict::kRegression);
  CHECK(VerdictOf(sides, "finding>21ms") == Verdict::kEquivalent);
  CHECK(VerdictOf(sides, "finding(load)>5%") == Verdict::kRegression);
  CHECK(VerdictOf(sides, "finding(train$)>5%") == Verdict::kEquivalent);
  CHECK(VerdictOf(sides, "finding(^sync-)>5%") == Verdict::kRegression);
  CHECK(VerdictOf(sides, "finding(ada/train.py)>5%") == Verdict::kRegression);
  CHECK(VerdictOf(sides,
                  "finding>5%\n"
                  "suppress sync-in-step in load owner=Ada until=2999-01-01 because=known") ==
        Verdict::kEquivalent);
}

TEST_CASE("a finding that not all runs have cannot be told, and no answer is no finding") {
  Sides sides = WithFindings({}, {Found("load", 0.2)});
  sides.head[3].findings->clear();
  CHECK(VerdictOf(sides, "finding>5%") == Verdict::kInconclusive);
  sides = WithFindings({}, {Found("load", 0.2)});
  sides.base[3].findings = sides.head[3].findings;
  CHECK(VerdictOf(sides, "finding>5%") == Verdict::kEquivalent);
  sides.base[3].findings.reset();
  sides.base[3].no_findings = "no GPU work is in this profile";
  const Diff diff = Checked(sides, "finding>5%");
  CHECK(RuledVerdict(diff) == Verdict::kInconclusive);
  CHECK(diff.rules.at(0).evidence == "no GPU work is in this profile");
  CHECK(VerdictOf(Same(), "finding>5%") == Verdict::kInconclusive);
}

}  // namespace gprofx::compare
