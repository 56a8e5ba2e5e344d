// The parts of gprof-x ci that need no recording.
#include <catch2/catch.hpp>
#include <sstream>

#include "cli/ci/ci.h"
#include "cli/ci/machine.h"
#include "cli/ci/recording.h"
#include "cli/ci/run_options.h"
#include "cli/ci/shell_line.h"
#include "cli/ci/verdict.h"
#include "cli/json_text.h"
#include "cli/terminal/text.h"
#include "temp_folder.h"

namespace gprofx {
namespace {

using Words = std::vector<std::string>;

Result<CiRun> Parse(const Words& args) {
  Result<CiRun> run = ParseCiRun(args);
  if (!run) return run;
  const Status read = ReadComparison(*run);
  if (!read) return read.error();
  return run;
}

std::string ErrorOf(const Words& args) {
  const Result<CiRun> run = Parse(args);
  return run ? "" : run.error().Text();
}

}  // namespace

TEST_CASE("ci run: lines for the shell, to which words are added") {
  const Result<CiRun> run =
      Parse({"--pairs", "7", "--base", "./old", "--head=./new -x", "--", "a b", "--head"});
  REQUIRE(run);
  CHECK(run->pairs == 7);
  CHECK(run->fresh_pairs() == 7);
  CHECK(CommandOf(*run, run->base) == Words{"sh", "-c", "./old \"$@\"", "sh", "a b", "--head"});
  CHECK(CommandOf(*run, run->head) == Words{"sh", "-c", "./new -x \"$@\"", "sh", "a b", "--head"});
  const Result<CiRun> plain = Parse({"--base", "./old", "--head", "./new"});
  REQUIRE(plain);
  CHECK(CommandOf(*plain, plain->base) == Words{"sh", "-c", "./old"});
  CHECK(plain->output == "gprof-x-ci");
}

TEST_CASE("ci run: words go to the last command of a line, or are refused") {
  for (const char* line : {"./a", "cd x && ./a", "./a '#' ';'", "./a x#y $#", "./a \"; #\"", "a; b",
                           "# first\n./a", "./a # one\n./b", "./a \\;", "./a\\\n -x"}) {
    INFO(line);
    CHECK(WithWords(line) == std::string(line) + " \"$@\"");
  }
  CHECK(WithWords("./a \n") == "./a \"$@\"");
  CHECK(WithWords("./a \"$@\" # fast") == "./a \"$@\" # fast");
  for (const char* line : {"", "./a # fast", "./a;", "./a &", "./a |", "./a &&", "./a;#x", "./a >",
                           "./a \\", "./a \\ ", "./a 'x", "./a \"x", "# all", "./a \\\n# c",
                           "./a &\n# all", "cat <<E\nx\nE", "\"$(echo '\"')\" # c"}) {
    INFO(line);
    CHECK_FALSE(WithWords(line));
  }
}

TEST_CASE("ci run: one command in two folders") {
  const Result<CiRun> run = Parse({"--base-dir", "/old", "-o", "out", "--", "python3", "bench.py"});
  REQUIRE(run);
  CHECK(run->base.folder == "/old");
  CHECK(run->head.folder.empty());
  CHECK(run->output == "out");
  CHECK(CommandOf(*run, run->base) == Words{"python3", "bench.py"});
  CHECK(CommandOf(*run, run->head) == Words{"python3", "bench.py"});
}

TEST_CASE("ci run: options of the comparison and of record") {
  const Result<CiRun> run =
      Parse({"--least", "5", "--json", "--record-options", " -F 499  --gpu off", "--base", "a",
             "--limit=3", "--head", "b", "--time-limit", "2m", "--confirm", "0"});
  REQUIRE(run);
  CHECK(run->diff.options.settings.least_effect == Approx(std::log(1.05)));
  CHECK(run->diff.options.json);
  CHECK(run->diff.options.limit == 3);
  CHECK(run->diff.options.settings.paired);
  CHECK(run->record_options == Words{"-F", "499", "--gpu", "off", "--overhead", "none"});
  CHECK(run->time_limit_s == 120);
  CHECK(run->fresh_pairs() == 0);
}

TEST_CASE("ci run: against a baseline runs are no pairs") {
  const Result<CiRun> run = Parse({"--baseline", "main", "--", "./job"});
  REQUIRE(run);
  CHECK_FALSE(run->diff.options.settings.paired);
  CHECK(ErrorOf({"--baseline", "main", "--base", "a", "--head", "b"}) != "");
  CHECK(ErrorOf({"--baseline", "main"}) != "");
}

TEST_CASE("ci run: what makes no sense is said with the way out") {
  const std::pair<Words, const char*> cases[] = {
      {{}, "no command is given"},
      {{"--base", "a"}, "option '--base' needs option '--head'"},
      {{"--head", "a"}, "option '--head' needs option '--base'"},
      {{"--", "a"}, "same command in the same folder"},
      {{"--base-dir", "x", "--head-dir", "x", "--", "a"}, "same command in the same folder"},
      {{"--base", "a", "--head", "b", "--pairs", "1"}, "from 2 to 1000, not '1'"},
      {{"--base", "a", "--head", "b", "--pairs", "x"}, "needs a whole number"},
      {{"--base", "a", "--head", "b", "--pairs", "-3"}, "needs a whole number"},
      {{"--base", "a", "--head", "b", "--confirm", "2"}, "3 pairs or more"},
      {{"--base", "a", "--head", "b", "--time-limit", "5d"}, "90s, 15m or 2h"},
      {{"--base", "a", "--head", "b", "--least", "much"}, "option '--least' needs a percentage"},
      {{"--base", "a", "--head", "b", "--record-options", "-o x"},
       "option '--record-options' needs"},
      {{"--base", "a", "--head", "b", "--record-options", "-- ls"},
       "option '--record-options' needs"},
      {{"--base", "a", "--head", "b", "--record-options", "--sweep A=1"},
       "option '--record-options' needs"},
      {{"--base", "a", "--head", "b", "--record-options", "-F none"}, "rate"},
      {{"--base", "a", "--head", "b", "c"}, "after '--'"},
      {{"--base", "a", "--head", "b # c", "--", "d"}, "the command 'b # c' of --head"},
      {{"--base", "a", "--head", "b", "--aa"}, "unknown option"},
      {{"--base", "a", "--head", "b", "--hea", "c"}, "unknown option"},
      {{"--base", "a", "--head", "b", "-o", ""}, "-o"},
  };
  for (const auto& [args, wanted] : cases) {
    INFO(wanted);
    CHECK_THAT(ErrorOf(args), Catch::Contains(wanted));
    CHECK(ErrorOf(args).find('\n') == std::string::npos);
  }
}

TEST_CASE("ci run: ABBA, and names in the order of the runs") {
  CHECK_FALSE(HeadIsFirst(0));
  CHECK(HeadIsFirst(1));
  CHECK_FALSE(HeadIsFirst(2));
  CHECK(RunName(0, 5) == "01");
  CHECK(RunName(11, 12) == "12");
  CHECK(RunName(6, 100) == "007");
  CHECK(*ParseTime("90") == 90);
  CHECK(*ParseTime("1.5h") == 5400);
  for (const char* bad : {"", "0", "-1s", "ten", "5 m", "1e99", "nan"}) CHECK_FALSE(ParseTime(bad));
}

TEST_CASE("a look at the machine has four lines") {
  const std::vector<std::string> busy = MachineLines({3.5, "powersave", true, 8, 4});
  REQUIRE(busy.size() == 4);
  CHECK_THAT(busy[0], Catch::Contains("3.5 on 8 CPUs") && Catch::Contains("other work"));
  CHECK_THAT(busy[1], Catch::Contains("cpupower"));
  CHECK_THAT(busy[2], Catch::Contains("on, so"));
  CHECK_THAT(busy[3], Catch::Contains("4 of 8"));
  const std::vector<std::string> quiet = MachineLines({0.1, "performance", false, 8, 8});
  CHECK(quiet[0] == "load of the last minute: 0.1 on 8 CPUs");
  CHECK(quiet[1] == "CPU frequency: governor performance");
  CHECK(LookAtMachine().usable >= 1);
}

TEST_CASE("the last line of a log") {
  const TempFolder temp;
  WriteFile(temp.path + "/log", std::string(10'000, 'x') + "\nValueError: no\n\n");
  CHECK(LastLine(temp.path + "/log") == "ValueError: no");
  WriteFile(temp.path + "/empty", "\n \n");
  CHECK(LastLine(temp.path + "/empty").empty());
  CHECK(LastLine(temp.path + "/none").empty());
}

TEST_CASE("the verdict tells how it came about, in 80 columns") {
  CiRun run;
  run.base.command = "old";
  run.head.command = "new";
  CiResult result;
  result.base = {"a", "b"};
  result.head = {"c", "d"};
  result.dropped = 1;
  result.time_spent = true;
  result.confirmation = Confirmation::kNoTime;
  const std::string text = CiVerdictText(run, result, {}, {80, false});
  CHECK_THAT(text, Catch::Contains("2 pairs in ABBA order") && Catch::Contains("(warm-up)") &&
                       Catch::Contains("before 5 pairs were recorded") &&
                       Catch::Contains("left no time"));
  result.confirmation = Confirmation::kFewBaseRuns;
  CHECK_THAT(CiVerdictText(run, result, {}, {80, false}),
             Catch::Contains("fresh runs can confirm it"));
  CHECK(Json::parse(CiVerdictJson(run, result, {}))["ci"]["confirmation"] == "few base runs");
  result.confirmation = Confirmation::kNoTime;
  std::string line;
  for (std::istringstream lines(text); std::getline(lines, line);) CHECK(Columns(line) <= 80);
  const Json json = Json::parse(CiVerdictJson(run, result, {}));
  CHECK(json["schema"] == "gprof-x.diff/1");
  CHECK(json["ci"]["pairs"] == 2);
  CHECK(json["ci"]["dropped_pairs"] == 1);
  CHECK(json["ci"]["confirmation"] == "no time");
  CHECK(json["ci"]["base"]["command"][2] == "old");
}

}  // namespace gprofx
