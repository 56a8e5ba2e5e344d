// Parts of the importers of stacks as text: headers and frames of perf script, numbers, comments.
#include <catch2/catch.hpp>
#include <string>

#include "formats/importers/collapsed/austin.h"
#include "formats/importers/collapsed/decimal.h"
#include "formats/importers/collapsed/stack_line.h"
#include "formats/importers/perf/perf_frame.h"
#include "formats/importers/perf/perf_header.h"

namespace gprofx::importers {
namespace {

struct Expected {
  const char* line;
  const char* comm;
  int64_t pid, tid, time_ns, period;
  const char* event;
};

TEST_CASE("headers of perf script with any fields") {
  constexpr Expected kHeaders[] = {
      {"python 4242/4243 [003]  10.000000500:     250000 cycles:u: ", "python", 4242, 4243,
       10'000'000'500, 250000, "cycles:u"},
      {"Web Content #2 7    10.000001: sched:sched_switch: prev_comm=x", "Web Content #2", -1, 7,
       10'000'001'000, -1, "sched:sched_switch"},
      {"pool 7 14595 cycles: ", "pool 7", -1, 14595, -1, -1, "cycles"},
      {"pool 7     250000 cycles: ", "pool", -1, 7, -1, 250000, "cycles"},
      {"java 3244 1000 cycles:", "java", -1, 3244, -1, 1000, "cycles"},
      {"pool 12345678901 cycles: ", "pool", -1, -1, -1, 12345678901, "cycles"},
      {"app 1/2 U     10.0:          1 cpu/mem-loads,ldlat=30/P: ", "app", 1, 2, 10'000'000'000, 1,
       "cpu/mem-loads,ldlat=30/P"},
      {"app 1/2     10.000001:           401000 main+0x1 (/a)", "app", 1, 2, 10'000'001'000, -1,
       ""},
      {"    250000 cycles: ", "", -1, -1, -1, 250000, "cycles"},
      {"app -1/-1 [000] 10.000001: cycles: ", "app", -1, -1, 10'000'001'000, -1, "cycles"}};
  for (const Expected& expected : kHeaders) {
    INFO(expected.line);
    PerfHeader header;
    REQUIRE(ParsePerfHeader(expected.line, header));
    CHECK(header.comm == expected.comm);
    CHECK(header.pid == expected.pid);
    CHECK(header.tid == expected.tid);
    CHECK(header.time_ns == expected.time_ns);
    CHECK(header.period == expected.period);
    CHECK(header.event == expected.event);
  }
  for (const char* line :
       {"", "\t    401000 main", "# captured on: Sun Nov 22 06:00:00 2026", "word",
        "error: it failed", "a;b 10", "# time of first sample : 12.345678"}) {
    INFO(line);
    PerfHeader header;
    CHECK_FALSE(ParsePerfHeader(line, header));
  }
}

TEST_CASE("frames of perf script") {
  const auto frame = [](const char* text) {
    const PerfFrame parts = SplitPerfFrame(text);
    return std::string(parts.name) + "|" + std::string(parts.object);
  };
  CHECK(frame(" main+0x1a (/opt/App (x86)/a.so (deleted))") == "main|/opt/App (x86)/a.so");
  CHECK(frame(" operator()(int)+0x4 (/opt/b.so+0x1000)") == "operator()(int)|/opt/b.so");
  CHECK(frame(" [unknown] ([unknown])") == "|");
  CHECK(frame(" f (inlined)") == "f|inlined");
  CHECK(frame("((((((") == "((((((|");
  CHECK(frame(")") == ")|");
  CHECK(PerfFrameBehindEvent("      401000 ") == "401000");
  CHECK(PerfFrameBehindEvent("            401000") == "401000");
  CHECK(PerfFrameBehindEvent("    7ffd00001234           401000 add (/a)") == "401000 add (/a)");
  CHECK(PerfFrameBehindEvent("           401000 add (/a)           12ab 4K") == "401000 add (/a)");
  CHECK(PerfFrameBehindEvent(" prev_comm=a prev_pid=7 ==> next_comm=b").empty());
  CHECK(PerfFrameBehindEvent("").empty());
}

TEST_CASE("decimal numbers at one scale") {
  const auto at = [](const char* text, int places) {
    const auto number = ParseDecimal(text);
    REQUIRE(number);
    return AtScale(*number, places).value_or(-1);
  };
  CHECK(at("12.5", 2) == 1250);
  CHECK(at("12.50", 1) == 125);
  CHECK(at("12.5", 0) == 13);
  CHECK(at("0.45", 0) == 0);
  CHECK(at("9223372036854775807", 0) == INT64_MAX);
  CHECK(at("9223372036854775807", 1) == -1);
  CHECK(at("0.9999999999999999999", 18) == 1'000'000'000'000'000'000);
  for (const char* bad : {"", ".", "1.", "x", "-1", "1.x", "1e5", "9223372036854775808", "1.2.3"}) {
    CHECK_FALSE(ParseDecimal(bad));
  }
}

TEST_CASE("lines of collapsed stacks") {
  CHECK(ParseStackLine("a;b 3\r")->stack == "a;b");
  CHECK(ParseStackLine(" 3")->stack.empty());
  for (const char* line : {"", "3", "a", "\t   401000", "  3", "a b"}) {
    CHECK_FALSE(ParseStackLine(line));
  }
  for (const char* line : {"#", "# austin: 3", "# duration: 7", "#x"}) CHECK(IsStackComment(line));
  for (const char* line : {"#main 3", "#main;b 3", "# x;y 1"}) CHECK_FALSE(IsStackComment(line));
}

TEST_CASE("austin by its header or by all lines, cut anywhere") {
  const auto is_austin = [](const std::string& text) {
    AustinDetector whole, cut;
    whole.Add(text);
    for (const char& c : text) cut.Add({&c, 1});
    whole.Finish();
    cut.Finish();
    CHECK(whole.is_austin() == cut.is_austin());
    return whole.is_austin();
  };
  CHECK(is_austin("# austin: 3.6.0\na;b 3\n"));
  CHECK(is_austin("P1;T0x7f:8;a.py:f:3 5\nP1;T8 2"));
  CHECK_FALSE(is_austin("P1;T8;a.py:f:3 5\nmain 2\n"));
  CHECK_FALSE(is_austin("P1;T8;main 5\n"));
  CHECK_FALSE(is_austin(""));
}

}  // namespace
}  // namespace gprofx::importers
