// What every format says of rules, and the text of a comparison in little room.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/diff/outputs/formats.h"
#include "cli/diff/outputs/notices.h"
#include "cli/diff/words.h"
#include "cli/terminal/text.h"
#include "diff_samples.h"

namespace gprofx::testing {

using nlohmann::json;

TEST_CASE("what a rule tells is not told twice, what else is slower is a warning") {
  Diff diff = DiffOf("f");
  diff.rules.resize(1);
  const std::string text = DiffAnnotations(diff, {}, Place());
  CHECK(text.find("::error file=a.py,line=88,title=self(f)>5%25::") == 0);
  CHECK(text.find("f is slower") == text.find("kf is slower") + 1);  // of the kernel alone
  CHECK(text.find("::warning title=CPU time is more::") != std::string::npos);
  diff.rules[0].rule = "total>1%";
  diff.rules[0].subject = compare::RuleResult::kWhole;
  CHECK(DiffAnnotations(diff, {}, Place()).find("CPU time is more") == std::string::npos);
}

TEST_CASE("rules are the cases of JUnit, one for each as it was written") {
  Diff diff = DiffOf("f");
  compare::RuleResult unclear = diff.rules[0];
  unclear.rule = "total>1%";
  unclear.fired = false;
  unclear.verdict = Verdict::kInconclusive;
  diff.rules.push_back(unclear);
  const std::string junit = DiffJunit(diff, {}, Around());
  CHECK(junit.find("tests=\"2\" failures=\"1\" errors=\"1\"") != std::string::npos);
  CHECK(junit.find("name=\"self(f)&gt;5%\"") != std::string::npos);
  CHECK(junit.find("gprof-x diff: 5 runs against 5 runs") != std::string::npos);
  // What is suppressed fails nothing, whether it fired or cannot be told.
  unclear.suppressed_by = "Ada until 2030-01-01: known";
  diff.rules = {unclear};
  const std::string skipped = DiffJunit(diff, {}, Around());
  CHECK(skipped.find("failures=\"0\" errors=\"0\" skipped=\"1\"") != std::string::npos);
  CHECK(skipped.find("message=\"suppressed by Ada until") != std::string::npos);
  CHECK(
      json::parse(DiffSarif(diff, {}, Place()))["runs"][0]["results"][0].contains("suppressions"));
  CHECK(DiffAnnotations(diff, {}, Place()).find("total>1%25") == std::string::npos);
  diff = DiffOf("f");
  diff.rules = {diff.rules[1]};
  CHECK(DiffJunit(diff, {}, Around()).find("<skipped type=\"rule\"") != std::string::npos);
  CHECK(DiffAnnotations(diff, {}, Place()).find("::error") == std::string::npos);
}

TEST_CASE("every format says the verdict and, beside it, what the rules make of it") {
  Diff diff = DiffOf("f");
  const DiffSurroundings around{{80, false}, {"base"}, {"head"}};
  CHECK(HeadlineText(diff) == "regression; rules: 1 fails, exit status 1");
  diff.rules.resize(1);
  diff.rules[0].fired = false;
  diff.rules[0].verdict = Verdict::kEquivalent;
  const std::string both = "regression; rules: 1 holds, exit status 0";
  CHECK(HeadlineText(diff) == both);
  const std::string text = DiffText(diff, {}, around);
  CHECK(text.find("\nregression: kf +20.0%") != std::string::npos);
  CHECK(text.find("\nrules: 1 holds, exit status 0\n") != std::string::npos);
  const json answer = json::parse(DiffJson(diff, {}, around));
  CHECK(answer["verdict"] == "regression");
  CHECK(answer["ruled_verdict"] == "equivalent");
  CHECK(answer["status"] == 0);
  CHECK(DiffMarkdown(diff, {}, around, kEnough).starts_with("### gprof-x: " + both + "\n"));
  CHECK(DiffJunit(diff, {}, around).find("name=\"verdict\" value=\"" + both + "\"") !=
        std::string::npos);
  CHECK(json::parse(DiffSarif(diff, {}, Place()))["runs"][0]["properties"]["verdict"] == both);
  const std::string metrics = DiffMetrics(diff);
  CHECK(metrics.find("gprofx_verdict{verdict=\"regression\"} 1") != std::string::npos);
  CHECK(metrics.find("gprofx_ruled_verdict{verdict=\"equivalent\"} 1") != std::string::npos);
  diff.rules.clear();
  CHECK(HeadlineText(diff) == "regression");
  CHECK(DiffText(diff, {}, around).find("\nrules: ") == std::string::npos);
  CHECK(json::parse(DiffJson(diff, {}, around))["ruled_verdict"].is_null());
  CHECK(DiffMetrics(diff).find("ruled") == std::string::npos);
}

TEST_CASE("a rule about many things counts once, as its worst") {
  Diff diff = DiffOf("f");
  for (const Verdict verdict : {Verdict::kEquivalent, Verdict::kInconclusive}) {
    compare::RuleResult more;
    more.rule = verdict == Verdict::kEquivalent ? "total>9%" : "gpu>9%";
    more.verdict = verdict;
    diff.rules.push_back(more);
  }
  CHECK(RuledText(diff) == "rules: 1 holds, 1 is unclear, 1 fails, exit status 1");
  diff.obstacles = {{compare::Obstacle::kMachine, "GPUs", "H100", "A100"}};
  CHECK(RuledText(diff) == "rules: the recordings cannot be compared, exit status 3");
}

TEST_CASE("the verdict and the rules keep to the screen, whatever names are like") {
  std::string type = "std::vector<std::map<std::string, std::pair<int, ns::Type<float, 128>>>>";
  for (const std::string& name :
       {std::string(300, 'x'), type + "::emplace_back(int, std::string const&)", type + type}) {
    Diff diff = DiffOf(name);
    diff.kernels.clear();
    diff.counts.clear();
    diff.differences.clear();
    diff.rules[0].evidence = name + " +20.0% (+18.0% to +22.0%)";
    for (const int columns : {80, 100, 120}) {
      INFO(columns);
      for (const std::string& line : Lines(DiffText(diff, {}, {{columns, false}, {}, {}}))) {
        INFO(line);
        CHECK(Columns(line) <= columns);
      }
    }
    CHECK(DiffText(diff, {}, {{80, false}, {}, {}}).find("+22.0%") != std::string::npos);
  }
}

TEST_CASE("a row has the change that base and head say, and the one without the common change") {
  Diff diff = DiffOf("f");
  diff.functions.resize(1);
  diff.functions[0].outcome.base = 443e6;
  diff.functions[0].outcome.head = 333e6;
  diff.functions[0].outcome.estimate.effect = std::log(0.9);
  const DiffSurroundings around{{100, false}, {}, {}};
  const auto text = [&] { return DiffText(diff, {}, around); };
  CHECK(text().find("443 ms  333 ms  -24.8%  +") != std::string::npos);  // then the interval
  CHECK(text().find(" own ") == std::string::npos);
  diff.clock_total = Tested(Verdict::kImprovement, 10, 8);
  diff.global = std::log(0.83);
  CHECK(text().find("443 ms  333 ms  -24.8%  -10.0%  +") != std::string::npos);
  CHECK(text().find("all rows share, -17.0%") != std::string::npos);
  CHECK(text().find("10.0 s -> 8.00 s per run, -20.0%") != std::string::npos);
}

TEST_CASE("a row of what is renamed has both names in any room") {
  Diff diff = DiffOf("f");
  diff.rules.clear();
  Change& change = diff.functions[0];
  change.fate = Change::kRenamed;
  change.part.name = "big_new";
  change.other = "big_old_name_of_it";
  CHECK(DiffText(diff, {}, {{100, false}, {}, {}}).find("big_new (was big_old_name_of_it)") !=
        std::string::npos);
  const std::string narrow = DiffText(diff, {}, {{80, false}, {}, {}});
  CHECK(narrow.find("big_new (was big") != std::string::npos);
  change.part.name = "ns::Class<int>::call(int, int, int)";
  change.other = "ns::Class<float>::old_call(int, int, int)";
  const std::string shorter = DiffText(diff, {}, {{100, false}, {}, {}});
  CHECK(shorter.find("call") != std::string::npos);
  CHECK(shorter.find(" (was ") != std::string::npos);
  CHECK(shorter.find("old_call") != std::string::npos);
}

TEST_CASE("metrics and Markdown say what is per step and what is per run") {
  Diff diff = DiffOf("f");
  diff.unit = compare::Unit::kStep;
  diff.steps.base = diff.steps.head = {100, 100};
  diff.clock_total = Tested(Verdict::kEquivalent, 3, 3);
  diff.counts = {{"threads", 4, 5}, {"launches: g [1x1x1, 1x1x1]", 7, 8, true}};
  const std::string metrics = DiffMetrics(diff);
  CHECK(metrics.find("# HELP gprofx_total_ns Time of the whole per step") != std::string::npos);
  CHECK(metrics.find("gprofx_total_ns{clock=\"step\",side=\"base\"} 10000000000\n") !=
        std::string::npos);
  CHECK(metrics.find("gprofx_total_ns{clock=\"cpu\",side=\"base\"} 3000000000\n") !=
        std::string::npos);
  CHECK(metrics.find("Counts that differ, per run.") == std::string::npos);
  CHECK(metrics.find("gprofx_count{name=\"threads\",per=\"run\",side=\"head\"} 5") !=
        std::string::npos);
  const std::string markdown = DiffMarkdown(diff, {}, Around(), kEnough);
  CHECK(markdown.find("Counts that differ, in each step:") != std::string::npos);
  CHECK(markdown.find("<code>threads</code> (per run) |") != std::string::npos);
  CHECK(markdown.find("1x1x1&#93;</code> |") != std::string::npos);
}

}  // namespace gprofx::testing
