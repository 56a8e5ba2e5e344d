// Histories of benchmarks, which other tools wrote.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>

#include "cli/baseline_store.h"
#include "cli/ci/benchmark_history/history.h"
#include "cli/ci/benchmark_history/readers.h"
#include "cli/ci/benchmark_history/units.h"
#include "cli/ci/ci.h"
#include "cli/ci/history.h"
#include "cli/ci/history_text.h"
#include "temp_folder.h"

namespace gprofx {
namespace {

// A results folder of asv, as asv 0.6 writes it.
struct AsvFolder : TempFolder {
  AsvFolder() {
    WriteFile(path + "/benchmarks.json", R"({
      "b.time_sum": {"name": "b.time_sum", "params": [], "unit": "seconds", "version": "v2"},
      "b.time_p": {"name": "b.time_p", "params": [["1", "2"], ["'a'", "'b c'"]],
                   "unit": "seconds", "version": "p"},
      "b.track_ms": {"name": "b.track_ms", "params": [], "unit": "ms", "version": "t"},
      "b.rate": {"name": "b.rate", "params": [["0", "1", "2"]], "unit": "ops/s", "version": "r"},
      "b.mem": {"name": "b.mem", "params": [], "unit": "bytes", "version": "m"}, "version": 2})");
  }

  void Machine(const std::string& name) const {
    mkdir((path + "/" + name).c_str(), 0700);
    WriteFile(path + "/" + name + "/machine.json",
              R"({"machine": ")" + name + R"(", "version": 1})");
  }

  void Commit(const std::string& machine, const std::string& commit, int date,
              const std::string& results, const std::string& environment = "py3",
              int version = 2) const {
    WriteFile(
        path + "/" + machine + "/" + commit + "-" + environment + ".json",
        R"({"commit_hash": ")" + commit + R"(", "env_name": ")" + environment + R"(", "date": )" +
            std::to_string(date) +
            R"(, "result_columns": ["result", "params", "version", "samples"], "results": {)" +
            results + R"(}, "version": )" + std::to_string(version) + "}");
  }

  Result<std::optional<BenchmarkHistory>> Read(const std::string& name = "") const {
    return ReadBenchmarkHistory(path, name);
  }
  std::string ErrorText(const std::string& name = "") const {
    const Result<std::optional<BenchmarkHistory>> history = Read(name);
    return history ? "" : history.error().Text();
  }
};

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("history: units are times, times per call, or calls per time") {
  CHECK(TimeOfCall(2, "seconds") == 2e9);
  CHECK(TimeOfCall(3, "ns/iter") == 3);
  CHECK(TimeOfCall(3, "us / op") == 3e3);
  CHECK(TimeOfCall(1.5, "\u00b5s") == 1500);
  CHECK(TimeOfCall(4, "Milliseconds") == 4e6);
  CHECK(TimeOfCall(100, "ops/sec") == 1e7);
  CHECK(TimeOfCall(5, "iter/sec") == 2e8);
  for (const char* unit : {"bytes", "B/op", "MB/s", "allocs/op", "", "/", "s/", "/s", "s/s", "x"}) {
    INFO(unit);
    CHECK_FALSE(TimeOfCall(1, unit));
  }
  CHECK_FALSE(TimeOfCall(0, "ops/sec"));
  CHECK_FALSE(TimeOfCall(1, std::string(100'000, 's')));
}

TEST_CASE("history: results of asv, by date, with parameters and gaps") {
  const AsvFolder folder;
  folder.Machine("box");
  folder.Commit("box", "bbbb", 2000, R"("b.time_sum": [[2e-6], [], "v2"], "b.track_ms": [[1.5]],
      "b.mem": [[100], [], "m"], "gone": [[1], []],
      "b.time_p": [[NaN, 2e-6, -Infinity, 4e-6], [["1", "2"], ["'a'", "'b c'"]], "p"])");
  folder.Commit("box", "aaaa", 1000,
                R"("b.time_sum": [[1e-6], [], "v1"], "b.track_ms": [null, [], "t"],
      "b.time_p": [[1e-6, 2e-6], [["1"], ["'a'", "'b c'"]], "p"])");
  const auto history = folder.Read();
  REQUIRE(history);
  REQUIRE(*history);
  CHECK((*history)->versions == std::vector<std::string>{"aaaa", "bbbb"});
  CHECK((*history)->left_out == 1);
  const auto& ns = (*history)->ns;
  REQUIRE(ns.size() == 5);
  // A result of an older version of a benchmark does not count.
  CHECK(std::isnan(ns.at("b.time_sum")[0]));
  CHECK(ns.at("b.time_sum")[1] == Approx(2000));
  CHECK(ns.at("b.track_ms")[1] == Approx(1.5e6));
  CHECK(ns.at("b.time_p(1, 'a')")[0] == Approx(1000));
  CHECK(std::isnan(ns.at("b.time_p(1, 'a')")[1]));
  CHECK(ns.at("b.time_p(1, 'b c')")[1] == Approx(2000));
  CHECK(ns.at("b.time_p(2, 'b c')")[1] == Approx(4000));
  CHECK((*history)->WithAtLeast(6).size() == 1);
  CHECK(ReadBenchmarkHistory(folder.path + "/box", ""));
}

TEST_CASE("history: a rate of asv that is not positive is not measured") {
  const AsvFolder folder;
  folder.Machine("box");
  folder.Commit("box", "aaaa", 1, R"("b.rate": [[0, -1, 100], [["0", "1", "2"]], "r"])");
  const auto history = folder.Read();
  REQUIRE(history);
  REQUIRE((*history)->ns.size() == 1);
  CHECK((*history)->ns.at("b.rate(2)")[0] == Approx(1e7));
  CHECK((*history)->not_positive == 2);
}

TEST_CASE("history: machines and environments of asv are chosen by name") {
  const AsvFolder folder;
  folder.Machine("box");
  folder.Machine("other");
  folder.Commit("box", "aaaa", 1, R"("b.time_sum": [[1]])");
  folder.Commit("other", "aaaa", 1, R"("b.time_sum": [[2]])", "py3.9");
  folder.Commit("other", "aaaa", 1, R"("b.time_sum": [[3]])", "py3.10");
  CHECK(Contains(folder.ErrorText(), "several machines: box, other; choose one with --name"));
  CHECK(Contains(folder.ErrorText("x"), "no 'x'; its machines are: box, other"));
  CHECK(Contains(folder.ErrorText("other"), "environments: other/py3.10, other/py3.9"));
  CHECK(Contains(folder.ErrorText("other/x"), "no 'other/x'"));
  CHECK(folder.ErrorText("box").empty());
  // The start of a name is enough if it is the start of one name only.
  CHECK(folder.ErrorText("bo").empty());
  CHECK(folder.ErrorText("oth/py3.9").empty());
  CHECK(
      Contains(folder.ErrorText("other/py"), "environments that start with 'other/py': other/py"));
  CHECK(ReadBenchmarkHistory(folder.path + "/box/", ""));
  const auto history = folder.Read("other/py3.9");
  REQUIRE(history);
  CHECK((*history)->ns.at("b.time_sum")[0] == Approx(2e9));
  // The other environments are not read, and other files are ignored.
  WriteFile(folder.path + "/other/bbbb-py3.10.json", "{");
  WriteFile(folder.path + "/other/notes.json", "{");
  CHECK(folder.ErrorText("other/py3.9").empty());
  CHECK(Contains(folder.ErrorText("other/py3.10"), "bbbb-py3.10.json"));
}

TEST_CASE("history: what asv did not write like this is refused in one line") {
  const AsvFolder folder;
  folder.Machine("box");
  CHECK(Contains(folder.ErrorText(), "run asv run"));
  const std::string file = folder.path + "/box/odd-py3.json";
  for (const char* text : {"", "{", "[1]", R"({"version": 2})", R"({"version": 2, "results": []})",
                           R"({"version": 2, "results": {}, "result_columns": ["x"]})",
                           R"({"version": "2"})", R"("\)"}) {
    INFO(text);
    WriteFile(file, text);
    CHECK(Contains(folder.ErrorText(), "odd-py3.json"));
    CHECK_FALSE(Contains(folder.ErrorText(), "\n"));
  }
  folder.Commit("box", "odd", 1, "", "py3", 1);
  CHECK(Contains(folder.ErrorText(), "run asv update"));
  folder.Commit("box", "odd", 1, "", "py3", 3);
  CHECK(Contains(folder.ErrorText(), "use a newer gprof-x"));
  // Rows of any form are read.
  folder.Commit("box", "odd", 1, R"("b.time_sum": 7, "b.track_ms": [[1, 2, 3], [[]]],
      "b.mem": [], "b.time_p": [[1, 2, 3, 4, 5, 6], [["1", "2"], [3, "x"]], "p"])");
  const auto history = folder.Read();
  REQUIRE(history);
  CHECK((*history)->ns.size() == 2);  // time_p(1, x) and time_p(2, x)
  remove((folder.path + "/benchmarks.json").c_str());
  CHECK(Contains(folder.ErrorText(), "copy it too"));
}

TEST_CASE("history: choices are listed whole") {
  std::vector<std::string> choices;
  for (int i = 0; i < 30; ++i) choices.push_back(std::string(100, 'x') + std::to_string(i) + "y");
  const Result<std::string> none = Chosen("file", choices, "", "suites");
  REQUIRE_FALSE(none);
  CHECK(Contains(none.error().Text(), choices[19] + ", and 10 more"));
  CHECK(Chosen("file", choices, choices[3], "suites"));
  CHECK(Chosen("file", choices, std::string(100, 'x') + "29", "suites"));
  CHECK_FALSE(Chosen("file", choices, std::string(100, 'x') + "2", "suites"));
  CHECK_FALSE(Chosen("file", {}, "", "suites"));
}

TEST_CASE("history: long names of parameters cannot multiply") {
  const AsvFolder folder;
  folder.Machine("box");
  std::string values = "1";
  for (int i = 0; i < 20'000; ++i) values += ",1";
  folder.Commit("box", "aaaa", 1,
                "\"b.time_p\": [[" + values + "], [[\"" + std::string(1'000'000, 'x') + "\"],[\"" +
                    "y" + "\"" + "]], \"p\"]");
  const auto history = folder.Read();
  REQUIRE(history);
  CHECK((*history)->ns.empty());
}

TEST_CASE("history: reading many members is not quadratic") {
  const TempFolder folder;
  std::string members;
  for (int i = 0; i < 100'000; ++i) members += "\"a" + std::to_string(i) + "\": [],";
  WriteFile(folder.path + "/data.js", "{\"entries\": {" + members + "\"x\": []}}");
  const clock_t begin = clock();
  CHECK(ReadBenchmarkHistory(folder.path, "x"));
  ParseBaseline("{" + members + "\"x\": []}");
  CHECK(static_cast<double>(clock() - begin) / CLOCKS_PER_SEC < 5);
}

TEST_CASE("history: reading many values is not quadratic, and their depth is limited") {
  std::string runs = "{\"entries\": {\"s\": [{}";
  for (int i = 0; i < 200'000; ++i) runs += ",{}";
  const clock_t begin = clock();
  CHECK(ParseHarnessJson(runs + "]}}", "file"));
  CHECK(static_cast<double>(clock() - begin) / CLOCKS_PER_SEC < 5);
  const auto nested = [](size_t depth, const std::string& inside) {
    return std::string(depth, '[') + inside + std::string(depth, ']');
  };
  CHECK(ParseHarnessJson(nested(64, ""), "file"));
  CHECK_FALSE(ParseHarnessJson(nested(65, ""), "file"));
  CHECK_FALSE(ParseHarnessJson(std::string(1'000'000, '['), "file"));
  // Brackets in strings do not count.
  CHECK(ParseHarnessJson(nested(60, "\"\\\"" + std::string(100, '{') + "\""), "file"));
  CHECK_FALSE(ParseHarnessJson(nested(60, "\"\\\\\"," + nested(5, "")), "file"));
}

TEST_CASE("history: data of github-action-benchmark") {
  const TempFolder folder;
  const std::string run = R"({"commit": {"id": "aaaa"}, "date": 1, "tool": "go", "benches": [
      {"name": "sort", "value": 5, "unit": "ns/op"}, {"name": "sort", "value": 7, "unit": "B/op"},
      {"name": "copy", "value": 100, "unit": "ops/sec", "range": "1%"},
      {"name": "size", "value": 7, "unit": "MB"}, 7, {"name": 3}]})";
  const std::string next = R"({"commit": {"id": "bbbb"}, "date": 0, "benches": [
      {"name": "sort", "value": 0.006, "unit": "us/op"}]})";
  const std::string json = R"({"entries": {"Suite": [)" + run + ", 4, {}, " + next + "]}}";
  for (const char* prefix : {"window.BENCHMARK_DATA = ", ""}) {
    for (const char* name : {"/data.js", "/other.json"}) {
      WriteFile(folder.path + name, prefix + json + (*prefix == 0 ? "" : ";\n"));
      const auto history = ReadBenchmarkHistory(folder.path + name, "");
      REQUIRE(history);
      REQUIRE(*history);
      CHECK((*history)->versions == std::vector<std::string>{"aaaa", "bbbb"});
      REQUIRE((*history)->ns.size() == 2);
      CHECK((*history)->ns.at("sort")[0] == 5);
      CHECK((*history)->ns.at("sort")[1] == Approx(6));
      CHECK((*history)->ns.at("copy")[0] == 1e7);
      CHECK(std::isnan((*history)->ns.at("copy")[1]));
    }
  }
  CHECK(ReadBenchmarkHistory(folder.path, ""));
  WriteFile(folder.path + "/zero.json", R"({"entries": {"A": [{"commit": {"id": "a"}, "benches": [
      {"name": "t", "value": 0, "unit": "ns/op"}, {"name": "r", "value": 0, "unit": "ops/s"},
      {"name": "u", "value": 0, "unit": "MB"}]}]}})");
  const auto zero = ReadBenchmarkHistory(folder.path + "/zero.json", "");
  REQUIRE(zero);
  CHECK((*zero)->ns.empty());
  CHECK((*zero)->not_positive == 2);
  CHECK((*zero)->left_out == 1);
  CHECK(RunCiHistory({folder.path + "/zero.json"}) == 2);
  WriteFile(folder.path + "/two.json", R"({"entries": {"A": [], "B b": []}})");
  const auto two = ReadBenchmarkHistory(folder.path + "/two.json", "");
  REQUIRE_FALSE(two);
  CHECK(Contains(two.error().Text(), "several suites: A, B b; choose one with --name"));
  CHECK(ReadBenchmarkHistory(folder.path + "/two.json", "B b"));
  for (const char* text :
       {"", "{}", "[]", R"({"entries": []})", R"({"entries": {"A": 3}})", "\xff"}) {
    WriteFile(folder.path + "/odd.json", text);
    const auto odd = ReadBenchmarkHistory(folder.path + "/odd.json", "");
    REQUIRE_FALSE(odd);
    CHECK(Contains(odd.error().Text(), "github-action-benchmark"));
  }
}

TEST_CASE("history: a table keeps the newest versions, and its size is bounded") {
  BenchmarkTable table;
  for (int i = 0; i < 1'005; ++i) {
    REQUIRE(table.Begin("v" + std::to_string(i), 2'000 - i));
    REQUIRE(table.Add("b", 1 + i));
  }
  const BenchmarkHistory history = table.Finish();
  CHECK(history.older == 5);
  CHECK(history.versions.size() == 1'000);
  CHECK(history.versions.back() == "v0");
  CHECK(history.ns.at("b").back() == 1);
  BenchmarkTable large;
  Status status = large.Begin("v", 0);
  for (int i = 0; status && i < 100; ++i) {
    status = large.Add(std::string(1'000'000, 'x') + std::to_string(i), 1);
  }
  REQUIRE_FALSE(status);
  CHECK(status.error().id == ErrorId::kTooLarge);
}

TEST_CASE("history: versions that are too old do not count for the size of a table") {
  BenchmarkTable table;
  // All benchmarks of all versions would be too many cells: 18,000 times 3,000.
  for (int version = 0; version < 3'000; ++version) {
    REQUIRE(table.Begin("v" + std::to_string(version), version % 7));
    for (int i = 0; i < 6; ++i) {
      REQUIRE(table.Add("b" + std::to_string(version * 6 + i), version + 1));
    }
    REQUIRE(table.Add("all", version + 1));
  }
  const BenchmarkHistory history = table.Finish();
  CHECK(history.older == 2'000);
  REQUIRE(history.versions.size() == 1'000);
  CHECK(history.ns.size() == 6'001);
  // Versions are sorted by order, equal ones as they were added, and the times with them.
  CHECK(history.versions.back() == "v2995");
  const std::vector<double>& all = history.ns.at("all");
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK("v" + std::to_string(static_cast<int>(all[i]) - 1) == history.versions[i]);
  }
}

TEST_CASE("history: a change is found between values with gaps, at its version") {
  const double gap = std::nan("");
  std::vector<HistorySeries> all(1);
  all[0].ns = {gap, 10, 11, gap, 10, 11, gap, gap, 20, 21, 20, gap, 21};
  FindChanges(all);
  REQUIRE(all[0].changes.size() == 1);
  CHECK(all[0].changes[0].at == 8);
  CHECK(MeasuredBefore(all[0], 8) == 5);
  CHECK(MeasuredBefore(all[0], 5) == 4);
}

TEST_CASE("history: changes of times below 1 ns are found only in benchmarks") {
  std::vector<HistorySeries> all(2);
  all[0].kind = kBenchmark;
  for (HistorySeries& series : all) {
    series.ns = {0.3, 0.301, 0.3, 0.301, 0.3, 0.9, 0.901, 0.9, 0.901, 0.9};
  }
  FindChanges(all);
  REQUIRE(all[0].changes.size() == 1);
  CHECK(all[0].changes[0].at == 5);
  CHECK(all[1].changes.empty());
}

TEST_CASE("history: times of any size and places of changes are texts") {
  CHECK(ShortTimeText(0.3) == "0.3 ns");
  CHECK(ShortTimeText(0.31234) == "0.312 ns");
  CHECK(ShortTimeText(5.678) == "5.68 ns");
  CHECK(ShortTimeText(12.3) == "12 ns");
  CHECK(ShortTimeText(12'345) == "12.3 us");
  CHECK(ShortTimeText(1e300) == ShortTimeText(1e21));
  CHECK(ShortTimeText(std::nan("")) == "0 s");
  CHECK(ChangePlace("v2", "v3", false) == "v3");
  CHECK(ChangePlace("v2", "v900", true) == "between v2 and v900");
  CHECK(VersionText(std::string(40, 'a')) == "aaaaaaaaaa");
  CHECK(VersionText("a\nb").find('\n') == std::string::npos);
}

}  // namespace gprofx
