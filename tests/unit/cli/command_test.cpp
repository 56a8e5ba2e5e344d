// The command line: options, messages, manual pages, doctor's judgement.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "cli/analyze/analyze.h"
#include "cli/annotate/annotate.h"
#include "cli/ci/ci.h"
#include "cli/command_line.h"
#include "cli/demo/demo.h"
#include "cli/diff/diff.h"
#include "cli/doctor/doctor.h"
#include "cli/export.h"
#include "cli/forecast/forecast.h"
#include "cli/import/import.h"
#include "cli/mcp/mcp.h"
#include "cli/merge/merge.h"
#include "cli/record.h"
#include "cli/redact/redact.h"
#include "cli/report/report.h"
#include "cli/top/options.h"
#include "cli/top/top.h"
#include "cli/variability/variability.h"
#include "core/base/command_output.h"
#include "core/views/naming/match.h"
#include "formats/exporters/exporter.h"
#include "formats/importers/import.h"
#include "sample_profile.h"

namespace gprofx::testing {
using namespace gprofx::importers;
namespace {

std::string WhyNot(const std::vector<std::string>& args) {
  const auto command = ParseReport(args);
  REQUIRE_FALSE(command);
  const std::string text = command.error().Text();
  CHECK(text.find('\n') == std::string::npos);
  return text;
}

// Options have items of their own: ".It Fl -top Op Ar N", ".It Fl h , -help".
std::set<std::string> OptionsOfManual(const std::string& page) {
  std::ifstream file("man/" + page);
  REQUIRE(file);
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(".It Fl ", 0) != 0) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word[0] == '-') names.insert(word.substr(1));
    }
  }
  return names;
}

// Lines that begin with "--name" or "-n, --name".
std::set<std::string> OptionsOfHelp(const std::string& help) {
  std::set<std::string> names;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 80);
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word.size() == 3 && word[0] == '-' && word[2] == ',') words >> word;
    if (word.rfind("--", 0) == 0) names.insert(word.substr(2));
  }
  return names;
}

}  // namespace

TEST_CASE("option_prefix_is_rejected") {
  for (const char* option : {"--to", "--jso", "--tre", "--foc=x", "--a", "--nothing", "-x"}) {
    INFO(option);
    CHECK(WhyNot({option}).find("--help") != std::string::npos);
  }
}

TEST_CASE("options of report") {
  using Files = std::vector<std::string>;
  CHECK(ParseReport({})->files == Files{"profile.gprofx"});
  CHECK(ParseReport({"a.gprofx"})->files == Files{"a.gprofx"});
  CHECK(ParseReport({"--", "--top"})->files == Files{"--top"});
  CHECK_FALSE(ParseReport({"--top"})->options.query.limit);
  CHECK(ParseReport({"--top", "7"})->options.query.limit == 7u);
  CHECK(ParseReport({"--top=7", "x"})->options.query.limit == 7u);
  CHECK(ParseReport({"--top", "x"})->files == Files{"x"});
  CHECK(ParseReport({"--", "7"})->files == Files{"7"});
  CHECK(ParseReport({"a", "b", "--ranks"})->files == Files{"a", "b"});
  CHECK(ParseReport({"--ranks"})->options.query.kind == ViewKind::kRanks);
  CHECK(ParseReport({"--callers=-f"})->options.query.callers_of == "-f");
  CHECK(ParseReport({"--tree", "--limit", "9"})->options.query.limit == 9u);
  CHECK(ParseReport({"-h"})->help == Help::kCommon);
  CHECK(ParseReport({"--help-all"})->help == Help::kAll);
  CHECK(ParseReport({"--by", "kernel"})->options.query.by == RowsBy::kKernel);
  CHECK_FALSE(ParseReport({})->options.query.code);
  CHECK(ParseReport({"--view", "python"})->options.query.code == CodeView::kPython);
  CHECK(ParseReport({"--tree", "--view=native"})->options.query.code == CodeView::kNative);
}

TEST_CASE("wrong values are one line with the way out") {
  CHECK(WhyNot({"--top", "0"}).find("number") != std::string::npos);
  CHECK(WhyNot({"--limit", "-1"}).find("--limit") != std::string::npos);
  CHECK(WhyNot({"--limit", "99999999999999999999"}).find("--limit") != std::string::npos);
  CHECK(WhyNot({"--top", "--tree"}).find("cannot be combined") != std::string::npos);
  CHECK(WhyNot({"--by", "colour"}).find("function, line") != std::string::npos);
  CHECK(WhyNot({"--view", "pyth"}).find("mixed, python or native") != std::string::npos);
  CHECK(WhyNot({"--tree", "--by", "thread"}).find("--top") != std::string::npos);
  CHECK(WhyNot({"--threads", "--by", "kernel"}).find("--top") != std::string::npos);
  CHECK(WhyNot({"--tree", "--by", "kernel"}).find("--top") != std::string::npos);
  CHECK(WhyNot({"--color", "blue"}).find("auto") != std::string::npos);
  CHECK(WhyNot({"--callers", ""}).find("name") != std::string::npos);
  CHECK(WhyNot({"--callers"}).find("callers") != std::string::npos);
  CHECK(WhyNot({"--json=yes"}).find("json") != std::string::npos);
  CHECK(WhyNot({"--tree", "--tree"}).find("tree") != std::string::npos);
  CHECK(WhyNot({"--\x1b[31m"}).find('\x1b') == std::string::npos);
}

TEST_CASE("what a profile does not hold is one line") {
  const Profile profile = TrainingProfile();
  for (const auto& args : std::vector<std::vector<std::string>>{{"--metric", "joules"},
                                                                {"--callers", "no_such_function"},
                                                                {"--focus", "("},
                                                                {"--ignore", "a{2"}}) {
    const auto command = ParseReport(args);
    REQUIRE(command);
    const auto text = RenderReport(profile, command->options, {});
    REQUIRE_FALSE(text);
    CHECK(text.error().Text().find('\n') == std::string::npos);
    CHECK_FALSE(text.error().fix.empty());
  }
}

TEST_CASE("bad expressions are refused, long names are bounded") {
  for (const std::string& bad :
       {std::string("("), std::string("["), std::string("(a)\\1"),
        std::string("(((a{100}){100}){100})"), std::string("a{1,255}{1,255}"),
        std::string(600, 'a'), std::string("a\0b", 3)}) {
    CHECK_FALSE(Pattern::Compile("--focus", bad));
  }
  const auto pattern = Pattern::Compile("--focus", "(x+x+)+y|end$");
  REQUIRE(pattern);
  CHECK_FALSE(pattern->Matches(std::string(1'000'000, 'x')));
  CHECK(pattern->Matches("the end"));
}

TEST_CASE("help and manual pages name the same options") {
  CHECK(OptionsOfHelp(ReportHelp()) == OptionsOfManual("gprof-x-report.1"));
  CHECK(OptionsOfHelp(AnnotateHelp()) == OptionsOfManual("gprof-x-annotate.1"));
  CHECK(OptionsOfHelp(DiffHelp()) == OptionsOfManual("gprof-x-diff.1"));
  CHECK(OptionsOfHelp(CiRunHelp() + CiBaselineHelp() + CiHistoryHelp()) ==
        OptionsOfManual("gprof-x-ci.1"));
  CHECK(OptionsOfHelp(ForecastHelp()) == OptionsOfManual("gprof-x-forecast.1"));
  CHECK(OptionsOfHelp(VariabilityHelp()) == OptionsOfManual("gprof-x-variability.1"));
  CHECK(OptionsOfHelp(DemoHelp()) == OptionsOfManual("gprof-x-demo.1"));
  CHECK(OptionsOfHelp(DoctorHelp()) == OptionsOfManual("gprof-x-doctor.1"));
  CHECK(OptionsOfHelp(ImportHelp()) == OptionsOfManual("gprof-x-import.1"));
  CHECK(OptionsOfHelp(McpHelp()) == OptionsOfManual("gprof-x-mcp.1"));
  CHECK(OptionsOfHelp(MergeHelp()) == OptionsOfManual("gprof-x-merge.1"));
  CHECK(OptionsOfHelp(RedactHelp()) == OptionsOfManual("gprof-x-redact.1"));
  CHECK(OptionsOfHelp(TopHelp()) == OptionsOfManual("gprof-x-top.1"));
  CHECK(OptionsOfHelp(MainHelp()) == OptionsOfManual("gprof-x.1"));
  CHECK(OptionsOfHelp(ReportHelp()).size() == ReportOptionSpecs().size());
}

TEST_CASE("--help lists what most people need, --help-all all options") {
  const auto is_short = [](const std::string& common, const std::string& all) {
    const std::set<std::string> few = OptionsOfHelp(common), every = OptionsOfHelp(all);
    CHECK(few.size() >= 9);
    CHECK(few.size() <= 13);
    CHECK(few.contains("help-all"));
    CHECK(std::includes(every.begin(), every.end(), few.begin(), few.end()));
    CHECK(every.size() > few.size() + 5);
  };
  is_short(ReportHelp(Help::kCommon), ReportHelp());
  is_short(DiffHelp(Help::kCommon), DiffHelp());
  is_short(AnalyzeHelp(Help::kCommon), AnalyzeHelp());
  is_short(ForecastHelp(Help::kCommon), ForecastHelp());
  is_short(TopHelp(Help::kCommon), TopHelp());
  CHECK(RunCommandLine({"record", "--help-all"}) == 0);
}

TEST_CASE("exit status of readers") {
  CHECK(RunCommandLine({}) == 2);
  CHECK(RunCommandLine({"repor"}) == 2);
  CHECK(RunCommandLine({"--versio"}) == 2);
  CHECK(RunCommandLine({"help", "nothing"}) == 2);
  CHECK(RunCommandLine({"help", "GX-9999"}) == 2);
  CHECK(RunCommandLine({"help", "help"}) == 0);
  CHECK(RunCommandLine({"report", "--nothing"}) == 2);
  CHECK(RunCommandLine({"report", "/no/such/file.gprofx"}) == 2);
  CHECK(RunCommandLine({"report", "/dev/null"}) == 2);
  CHECK(RunCommandLine({"diff"}) == 2);
  CHECK(RunCommandLine({"mcp"}) == 2);
  CHECK(RunCommandLine({"mcp", "/no/such/folder"}) == 2);
  CHECK(RunCommandLine({"mcp", "/dev/null"}) == 2);
  CHECK(RunCommandLine({"diff", "one"}) == 2);
  CHECK(RunCommandLine({"diff", "/no/such/a", "/no/such/b"}) == 2);
  CHECK(RunCommandLine({"diff", "--least", "much", "a", "b"}) == 2);
  CHECK(RunCommandLine({"diff", "--aa"}) == 2);
  CHECK(RunCommandLine({"diff", "--aa", "/no/such/a", "--", "/no/such/b"}) == 2);
  CHECK(RunCommandLine({"diff", "baseline:/no/such/store/main", "b"}) == 2);
  CHECK(RunCommandLine({"ci"}) == 2);
  CHECK(RunCommandLine({"ci", "walk"}) == 2);
  CHECK(RunCommandLine({"ci", "run", "--pairs", "1", "--base", "a", "--head", "b"}) == 2);
  CHECK(RunCommandLine({"ci", "baseline"}) == 2);
  CHECK(RunCommandLine({"ci", "baseline", "list", "--folder", "/no/such"}) == 2);
  CHECK(RunCommandLine({"ci", "baseline", "prune", "--folder", "/no/such"}) == 2);
  CHECK(RunCommandLine({"ci", "history", "/no/such"}) == 2);
  CHECK(RunCommandLine({"ci", "--history"}) == 2);
  CHECK(RunCommandLine({"demo", "operand"}) == 2);
  CHECK(RunCommandLine({"doctor", "operand"}) == 2);
  CHECK(RunCommandLine({"doctor", "--color", "blue"}) == 2);
  CHECK(RunCommandLine({"record", "--nothing"}) == 125);
  CHECK(RunCommandLine({"--version"}) == 0);
  CHECK(RunCommandLine({"help", "report"}) == 0);
  CHECK(RunCommandLine({"help"}) == 0);
}

TEST_CASE("doctor reads versions and settings") {
  CHECK(ParseKernelVersion("6.1.0-13-amd64")->minor == 1);
  CHECK(ParseKernelVersion("5.15")->major == 5);
  CHECK_FALSE(ParseKernelVersion("unknown"));
  CHECK(ParsePythonVersion("Python 3.11.2\n")->minor == 11);
  CHECK_FALSE(ParsePythonVersion("PyPy"));
  CHECK(IsSupportedPython({3, 8}));
  CHECK(IsSupportedPython({3, 15}));
  CHECK_FALSE(IsSupportedPython({3, 7}));
  CHECK_FALSE(IsSupportedPython({2, 7}));
  CHECK(ConfigHz("# CONFIG_HZ=1\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n") == 250);
  CHECK_FALSE(ConfigHz("CONFIG_HZ_250=y\n"));
  CHECK(JudgePerf(2, 0).health == Health::kOk);
  CHECK(JudgePerf(2, 0).fix.empty());
  CHECK(JudgePerf(4, EACCES).fix.starts_with("sudo sysctl kernel.perf_event_paranoid=2 ("));
  CHECK(JudgePerf(1, EPERM).fix.find("--cap-add PERFMON") != std::string::npos);
  CHECK(JudgePerf(1, EPERM).fix.find("unconfined") == std::string::npos);
  CHECK(JudgePerf(std::nullopt, ENOSYS).health == Health::kWarn);
}

TEST_CASE("doctor says what ptrace is for, and the line that allows it") {
  const auto judge = [](int yama, bool capable, bool root, bool filtered) {
    return JudgePtrace({yama, capable, root, filtered});
  };
  for (const Check& check : {judge(-1, false, false, false), judge(0, false, false, false),
                             judge(1, true, true, false), judge(2, true, true, false)}) {
    CHECK(check.health == Health::kOk);
    CHECK(check.fix.empty());
    CHECK(check.detail.find("--pid") != std::string::npos);
  }
  CHECK(judge(0, false, false, false).detail.find("your own") != std::string::npos);
  CHECK(judge(1, true, true, false).detail.find("any process") != std::string::npos);
  CHECK(judge(1, false, false, false).health == Health::kWarn);
  for (const int yama : {1, 2}) {
    // One recording as root opens less than a setting of the machine does.
    CHECK(judge(yama, false, false, false).fix.find("sudo gprof-x record --pid") < 20);
    CHECK(judge(yama, false, false, false).fix.find("would open") != std::string::npos);
  }
  CHECK(judge(1, false, true, false).fix.find("--cap-add SYS_PTRACE") != std::string::npos);
  CHECK(judge(0, true, true, true).fix.find("--cap-add SYS_PTRACE") != std::string::npos);
  CHECK(judge(3, true, true, false).fix.find("boot") != std::string::npos);
  // A setting that protects every user is not lowered by a script.
  CHECK(judge(1, false, false, false).script.empty());
}

TEST_CASE("doctor names the C library only where it knows it") {
  CHECK(JudgeLibc({"2.36", true, true, true}).detail == "glibc 2.36");
  CHECK(JudgeLibc({"", true, false, true}).detail == "musl");
  CHECK(JudgeLibc({"", false, true, true}).detail.find("unknown") == 0);
  CHECK(JudgeLibc({"", false, false, true}).health == Health::kWarn);
  CHECK(JudgeLibc({"", true, true, true}).detail.find("older than 2.17") != std::string::npos);
  CHECK(JudgeLibc({"", true, false, false}).detail.find("no musl") != std::string::npos);
}

TEST_CASE("doctor judges what recording a GPU needs") {
  CHECK(JudgeGpuCounters("RmProfilingAdminOnly: 0\n", false).health == Health::kOk);
  CHECK(JudgeGpuCounters("RmProfilingAdminOnly: 1\n", true).health == Health::kOk);
  CHECK(JudgeGpuCounters("", false).health == Health::kOk);
  const Check restricted = JudgeGpuCounters("A: 2\nRmProfilingAdminOnly: 1\n", false);
  CHECK(restricted.health == Health::kWarn);
  CHECK(restricted.fix.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);

  CHECK(JudgeCupti("/x/libcupti.so.13", 130000).health == Health::kOk);
  CHECK(JudgeCupti("/x/libcupti.so.12", 22).fix.empty());
  CHECK(JudgeCupti("/x/libcupti.so.12", 21).health == Health::kWarn);
  CHECK(JudgeCupti("/x/libcupti.so", 0).detail.find("version unknown") != std::string::npos);

  CHECK(JudgeInjection("none", false).detail.find("not recorded") != std::string::npos);
  CHECK(JudgeInjection("/x/tool.so", true).detail.find("loaded, too") != std::string::npos);
  CHECK(JudgeInjection("/x/tool.so", false).detail.find("cannot be read") != std::string::npos);
}

TEST_CASE("doctor looks for CUPTI where a recorded program does") {
  const std::vector<std::string> all = CuptiCandidates("/mine.so", {"/p/site-packages"}, {"/cuda"});
  CHECK(all ==
        std::vector<std::string>{"/mine.so", "/p/site-packages/nvidia/cu13/lib/libcupti.so.13",
                                 "/p/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12",
                                 "/cuda/extras/CUPTI/lib64/libcupti.so", "/cuda/lib64/libcupti.so",
                                 "libcupti.so.13", "libcupti.so.12"});
}

TEST_CASE("doctor shows what it found without control bytes") {
  const std::string text = DoctorText(
      {{"good", Health::kOk, "fine\x1b[31m", ""}, {"bad", Health::kFail, "broken", "repair it"}},
      {});
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("fix: repair it") != std::string::npos);
  CHECK(text.find("does not work") != std::string::npos);
}

TEST_CASE("doctor's script mends what is wrong only, and what was found stays a comment") {
  const std::string script =
      DoctorFixScript({JudgePerf(1, 0),
                       JudgePerf(4, EACCES),
                       {"bad", Health::kWarn, "x\nrm -rf y", "do z\nrm -rf y"}});
  CHECK(script.find("\n$sudo sysctl -w kernel.perf_event_paranoid=2\n") != std::string::npos);
  CHECK(script.find("\nrm") == std::string::npos);
  CHECK(script.find("# By hand: do z") != std::string::npos);
  CHECK(script.find("is 1") == std::string::npos);
  const std::string nothing = DoctorFixScript({JudgePerf(1, 0)});
  CHECK(nothing.find("# Nothing to fix.") != std::string::npos);
  CHECK(nothing.find("sysctl") == std::string::npos);
  // In a container the filter is the reason: no setting of the kernel helps.
  CHECK(DoctorFixScript({JudgePerf(1, EPERM)}).find("sysctl") == std::string::npos);
  // A setting that protects users from each other is not lowered by a script.
  const std::string counters =
      DoctorFixScript({JudgeGpuCounters("RmProfilingAdminOnly: 1\n", false)});
  CHECK(counters.find("# By hand: record in a container") != std::string::npos);
  CHECK(counters.find("$sudo") == std::string::npos);
  CHECK(RunCommandLine({"doctor", "--fix", "--json"}) == 2);
}

TEST_CASE("commands of doctor end in time") {
  CHECK(CommandOutput({"/bin/echo", "hello"}, 5000) == "hello\n");
  CHECK_FALSE(CommandOutput({"/bin/sleep", "60"}, 50));
  CHECK_FALSE(CommandOutput({"/bin/false"}, 5000));
  CHECK_FALSE(CommandOutput({"/no/such/command"}, 5000));
}

TEST_CASE("an option of several commands takes and completes the same values in all of them") {
  // These names mean different things in different commands.
  const std::set<std::string> own = {"by",     "csv",   "from",    "html",     "lines", "memory",
                                     "output", "rules", "threads", "timeline", "to",    "focus"};
  using Values = std::tuple<std::string, std::string, bool>;  // value, choices, repeats
  std::map<std::string, Values> known;
  for (const auto& specs :
       {RecordOptionSpecs(), TopOptionSpecs(), ReportOptionSpecs(), AnnotateOptionSpecs(),
        AnalyzeOptionSpecs(), DiffOptionSpecs(), CiOptionSpecs(), ExportOptionSpecs(),
        ImportOptionSpecs(), ForecastOptionSpecs(), VariabilityOptionSpecs(), MergeOptionSpecs(),
        RedactOptionSpecs(), McpOptionSpecs(), DoctorOptionSpecs(), DemoOptionSpecs()}) {
    for (const OptionSpec& spec : specs) {
      const auto text = [](const char* words) { return std::string(words ? words : ""); };
      const Values values(text(spec.value), text(spec.choices), spec.repeats);
      const std::string name = LongName(spec);
      INFO(name);
      if (!own.contains(name)) CHECK(known.try_emplace(name, values).first->second == values);
    }
  }
}

TEST_CASE("what shells complete for --to and --from are the formats that there are") {
  const auto choices = [](std::span<const OptionSpec> specs, const std::string& name) {
    const auto found = std::find_if(specs.begin(), specs.end(),
                                    [&](const OptionSpec& spec) { return name == spec.names; });
    std::istringstream words(found == specs.end() ? "" : found->choices);
    return std::vector<std::string>(std::istream_iterator<std::string>(words), {});
  };
  std::vector<std::string> names;
  for (const exporters::Exporter& exporter : exporters::Exporters()) names.push_back(exporter.name);
  CHECK(choices(ExportOptionSpecs(), "to") == names);
  const std::vector<std::string> read = choices(ImportOptionSpecs(), "from");
  CHECK(read.size() == 10);
  for (const std::string& name : read) CHECK(ParseTraceFormat(name));
}

}  // namespace gprofx::testing
