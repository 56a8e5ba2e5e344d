// What gprof-x record says of what the recorder tells.
#include <catch2/catch.hpp>
#include <cerrno>
#include <new>
#include <string>
#include <vector>

#include "cli/record/add_findings.h"
#include "cli/record/messages.h"
#include "samplers/wire/gpu.h"

namespace gprofx {
using namespace record;
namespace {

using Texts = std::vector<std::string>;
constexpr HostNs kSecond = 1'000'000'000;

struct Bench {
  explicit Bench(Lines::Verbosity verbosity = Lines::Verbosity::kUsual)
      : lines(verbosity, false, [this](const std::string& line) { said.push_back(line); }),
        messages(lines, verbosity == Lines::Verbosity::kVerbose) {}
  std::string Said(const recorder::Event& event) {
    said.clear();
    messages.Tell(event);
    return said.empty() ? "" : said.back();
  }

  Texts said;
  Lines lines;
  Messages messages;
};

TEST_CASE("findings that cannot be made change nothing of a recording") {
  Bench bench;
  const auto fails = [](const std::string&) -> Status {
    return Error{ErrorId::kCannotWrite, "no room"};
  };
  AddFindings("p.gprofx", false, bench.lines, fails);
  CHECK(bench.said.empty());
  AddFindings("p.gprofx", true, bench.lines, fails);
  CHECK(bench.said == Texts{"gprof-x: the profile has no findings: no room"});
  // Neither an exception nor the end of the process.
  AddFindings("p.gprofx", true, bench.lines,
              [](const std::string&) -> Status { throw std::bad_alloc(); });
  CHECK(bench.said.size() == 1);
}

TEST_CASE("why a command does not start") {
  Bench bench;
  CHECK(bench.Said(recorder::event::CannotStart{"no", "no", false, 0}) ==
        "gprof-x: cannot run 'no': no such program [GX-0401]");
  CHECK(bench.Said(recorder::event::CannotStart{"x", "/x", true, 0}) ==
        "gprof-x: cannot run 'x': it is not executable [GX-0401]");
  CHECK(bench.Said(recorder::event::CannotStart{"x", "/x", true, ENOEXEC}) ==
        "gprof-x: cannot run 'x': Exec format error [GX-0401]");
}

TEST_CASE("what goes wrong meanwhile is said with what becomes of the program") {
  Bench bench(Lines::Verbosity::kQuiet);
  CHECK(bench.Said(recorder::event::CannotWrite{
            {ErrorId::kCannotWrite, "the disk is full", "free some"}, true}) ==
        "gprof-x: the disk is full; free some; the program continues [GX-0301]");
  CHECK(bench.Said(recorder::event::CannotWrite{{ErrorId::kCannotWrite, "the disk is full"},
                                                false}) == "gprof-x: the disk is full [GX-0301]");
  CHECK(
      bench.Said(recorder::event::BrokenOff{"out of memory", "p", true}) ==
      "gprof-x: the recording ended early: out of memory; the program continues; 'p' contains what "
      "was "
      "recorded until then [GX-0405]");
  CHECK(
      bench.Said(recorder::event::BrokenOff{"x", "p", false}) ==
      "gprof-x: the recording ended early: x; 'p' contains what was recorded until then [GX-0405]");
  CHECK(bench.Said(recorder::event::OtherName{"a", "a.1"}) ==
        "gprof-x: another recording writes 'a'; this recording writes 'a.1'");
  CHECK(bench.Said(recorder::event::WindowOver{kSecond}).empty());  // -q
}

TEST_CASE("the last line says where the profile is and how to read it") {
  recorder::event::Finished end{"profile.gprofx", 2 * kSecond, 12345, 0, "", {"trouble"}, {}};
  Bench bench;
  CHECK(bench.Said(end) ==
        "gprof-x: 12,345 samples, 2.0 s -> profile.gprofx (report: gprof-x report)");
  CHECK(bench.said.size() == 1);
  end.output = "a b.gprofx";
  CHECK_THAT(bench.Said(end), Catch::EndsWith("(report: gprof-x report 'a b.gprofx')"));
  end.not_sampled = 2;
  end.not_sampled_text = "static (go)";
  CHECK_THAT(bench.Said(end), Catch::Contains("2 processes") && Catch::Contains("static (go)"));
  Bench quiet(Lines::Verbosity::kQuiet);
  CHECK(quiet.Said(end).empty());
}

TEST_CASE("-v repeats the problems and says where the recorder's own time went") {
  recorder::event::Finished end{"p", kSecond, 1, 0, "", {"trouble"}, {}};
  end.timers[recorder::Pass::kDrain] = 1'250'000'000;
  end.timers[recorder::Pass::kGpuAttribution] = 2'000'000;
  Bench bench(Lines::Verbosity::kVerbose);
  bench.Said(end);
  REQUIRE(bench.said.size() == 3);
  CHECK(bench.said[0] == "gprof-x: trouble");
  CHECK(bench.said[1] ==
        "gprof-x: recorder: launch 0 s, drain 1.25 s, ingest 0 s, commit 0 s, write 0 s, stop 0 s, "
        "symbolize 0 s, resolve 0 s, gpu attribution 2.00 ms, final write 0 s");
}

TEST_CASE("a problem is said, and the profile keeps its sentence") {
  Bench bench(Lines::Verbosity::kQuiet);
  CHECK(record::Sentence(recorder::problem::UserLeftOut{54321}).find("user 54321") !=
        std::string::npos);
  CHECK(record::Sentence(recorder::problem::StoppedListening{}).find("perf events") !=
        std::string::npos);
  CHECK(bench.messages.Tell(recorder::Problem{recorder::problem::RowsDropped{1234}}) ==
        "1,234 rows of the timeline are lost, because the file could not be written");
  CHECK(bench.said.back() == "gprof-x: " + record::Sentence(recorder::problem::RowsDropped{1234}));
  // What is still going on is said otherwise than it is kept.
  CHECK(bench.messages.Tell(
            recorder::Problem{recorder::problem::LeftBehind{{1, 2, 3, 4, 5, 6, 7, 8, 9}}}) ==
        "these processes outlived the command and were recorded for 2 s more: 1 2 3 4 5 6 7 8 ...");
  CHECK(bench.said.back() ==
        "gprof-x: the recording ends before these processes, which outlive the command: 1 2 3 4 5 "
        "6 7 8 "
        "...");
}

TEST_CASE("how a process ended by a fault is one line") {
  recorder::problem::EndedByFault fault{
      7, "train.py", "worker", SIGSEGV, 0x18, {"Inner (liba.so+0x40)", "Outer (b+0x1)"}, false};
  CHECK(record::Sentence(fault) ==
        "train.py (process 7) ended by SIGSEGV at address 0x18, thread 'worker': "
        "Inner (liba.so+0x40) < Outer (b+0x1)");
  fault = {7, "train.py", "", SIGBUS, std::nullopt, {"f"}, true};
  CHECK(Sentence(fault) ==
        "train.py (process 7) ended by SIGBUS: f; if this does not happen without gprof-x, please "
        "report "
        "this line");
  CHECK(record::Sentence(recorder::problem::MoreFaults{1234}) ==
        "1,234 more processes ended by SIGSEGV or SIGBUS");
}

TEST_CASE("names of what ended by a fault are cut, and make no line of their own") {
  const recorder::problem::EndedByFault fault{
      7, "a\nb", "c\nd", SIGSEGV, 0, {std::string(300, 'x') + "end", "e\nf"}, false};
  const std::string sentence = record::Sentence(fault);
  CHECK(sentence.find('\n') == std::string::npos);
  CHECK(sentence.size() < 250);
  CHECK(sentence.find("xend") != std::string::npos);
}

TEST_CASE("notices of the GPU side say when what was asked for cannot be") {
  const std::string text = "no PC sampling: not permitted";
  CHECK(record::Sentence(recorder::problem::GpuNotice{wire::kNoticePcPermission, text, false}) ==
        text);
  CHECK(record::Sentence(recorder::problem::GpuNotice{wire::kNoticePcPermission, text, true}) ==
        "--gpu pc is not possible: " + text);
  CHECK(record::Sentence(recorder::problem::GpuNotice{wire::kNoticeChain, "x", true}) == "x");
}

}  // namespace
}  // namespace gprofx
