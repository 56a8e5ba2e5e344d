// The page of a job of benchmarks: names stay data. test_per_test.py opens such pages in a browser.
#include <sys/stat.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/ci/per_test/html/page.h"
#include "cli/ci/per_test/per_test.h"
#include "diff_samples.h"
#include "temp_folder.h"

namespace gprofx::testing {

namespace {

BenchmarkResult Slower(const std::string& name) {
  BenchmarkResult one;
  one.name = name;
  one.verdict = BenchmarkVerdict::kSlower;
  one.note = name;
  one.estimate = {std::log(1.1), 0.01, 8};
  one.base_ns = 1e6;
  one.head_ns = 1.1e6;
  one.rounds = 5;
  one.counts = {{"launches: " + name, 1, 2, "call"}};
  one.blamed = {{"python", name, name, 3, "", 0, 1e6, 1.1e6}};
  one.base = {"out/tests/0001/base/01.gprofx"};
  one.head = {"out/tests/0001/head/01.gprofx"};
  return one;
}

// Returns the JSON in the first element of data.
nlohmann::json DataOf(const std::string& page) {
  const std::string start = "type=\"application/octet-stream\">";
  const size_t begin = page.find(start) + start.size();
  std::string packed;
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = begin; page[i] != '<'; ++i) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t digit = digits.find(page[i]);
    if (digit == std::string::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if ((count += 6) >= 8) packed += static_cast<char>(bits >> (count -= 8) & 255);
  }
  std::string text(10'000'000, 0);
  uLongf size = text.size();
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                     reinterpret_cast<const Bytef*>(packed.data()), packed.size()) == Z_OK);
  return nlohmann::json::parse(text.substr(4, size - 4));
}

}  // namespace

TEST_CASE("the page of a job holds no name outside of its data") {
  CiRun run;
  run.output = "out";
  for (const std::string& name : Names()) {
    PerTestResult result;
    result.harness = "pytest";
    result.benchmarks = {Slower(name)};
    result.only_base = {name};
    BenchmarkHistory history;
    history.versions = {name, "b"};
    history.ns[name] = {1e6, std::nan("")};
    const auto page = PerTestPage(run, result, &history);
    REQUIRE(page);
    CHECK(page->size() < 200'000);
    CHECK(page->find("onerror") == std::string::npos);
    CHECK(page->find("://") == std::string::npos);
    CHECK(page->find("\x1b") == std::string::npos);
    const nlohmann::json data = DataOf(*page);
    CHECK(data["benchmarks"].size() == 1);
    CHECK(data["facts"].get<std::string>().starts_with("1 benchmark of pytest, "));
  }
}

TEST_CASE("the page of a job says that the history has none of its benchmarks") {
  CiRun run;
  run.history = "old results";
  PerTestResult result;
  result.benchmarks = {Slower("a")};
  result.benchmarks[0].base = {"o'ut dir/base/01.gprofx"};
  BenchmarkHistory history;
  history.versions = {"v"};
  history.ns["b"] = {1};
  const std::string note = "the history 'old results' has no benchmark of this job";
  CHECK(HistoryNote(run, result, &history) == note);
  CHECK(HistoryNote(run, result, nullptr).empty());
  const auto page = PerTestPage(run, result, &history);
  REQUIRE(page);
  const nlohmann::json data = DataOf(*page);
  CHECK(data["notes"][0] == note);
  // The suggested command can be pasted into a shell.
  CHECK(data["benchmarks"][0]["reasons"].back() ==
        "the flame graph: gprof-x diff --html FILE 'o'\\''ut dir/base' out/tests/0001/head");
  history.ns["a"] = {1};
  CHECK(HistoryNote(run, result, &history).empty());
}

TEST_CASE("the page of a job says why it cannot use a history") {
  const TempFolder folder;
  CiRun run;
  run.harness = "pytest";
  run.diff.options.outputs.html = folder.path + "/page.html";
  const auto error_of = [&](const std::string& history) {
    run.history = history;
    const auto read = ReadJobHistory(run);
    return read ? "" : read.error().Text();
  };
  CHECK(error_of(folder.path).find("has no results of benchmarks") != std::string::npos);
  mkdir((folder.path + "/names").c_str(), 0700);
  CHECK(error_of(folder.path).find("has baselines") != std::string::npos);
  WriteFile(folder.path + "/two.json", R"({"entries": {"A": [], "B": []}})");
  CHECK(error_of(folder.path + "/two.json").find("suites: A, B; --history needs") !=
        std::string::npos);
  // An error of the reader keeps its way out.
  WriteFile(folder.path + "/odd.json", "{");
  CHECK(error_of(folder.path + "/odd.json").find("data.js of github-action-benchmark") !=
        std::string::npos);
}

TEST_CASE("the page of a job places a change after a gap between two versions") {
  PerTestResult result;
  result.benchmarks = {Slower("a")};
  result.benchmarks[0].base_ns = 0.3;
  BenchmarkHistory history;
  for (int i = 0; i < 12; ++i) {
    history.versions.push_back("v" + std::to_string(i));
    const double ns = i < 6 ? 0.3 + 0.001 * (i % 2) : 0.6 + 0.001 * (i % 2);
    history.ns["a"].push_back(i == 5 || i == 6 ? std::nan("") : ns);
  }
  const auto page = PerTestPage({}, result, &history);
  REQUIRE(page);
  const nlohmann::json data = DataOf(*page);
  const auto& row = data["benchmarks"][0];
  REQUIRE(row["history"]["changes"].size() == 1);
  CHECK(row["history"]["changes"][0]["at"] == 7);
  CHECK(row["history"]["changes"][0]["place"] == "between v4 and v7");
  CHECK(row["base"] == "0.3 ns");
}

TEST_CASE("the page of a job has all benchmarks, the most important first, and their history") {
  PerTestResult result;
  result.harness = "pytest";
  result.benchmarks = {Slower("a"), Slower("b"), Slower("c")};
  result.benchmarks[0].verdict = BenchmarkVerdict::kSame;
  result.benchmarks[1].verdict = BenchmarkVerdict::kFailed;
  result.benchmarks[1].rounds = 0;
  BenchmarkHistory history;
  for (int i = 0; i < 300; ++i) {
    history.versions.push_back(i == 250 ? std::string(40, 'a') : "v" + std::to_string(i));
    history.ns["a"].push_back(i < 250 ? 123'456 + i % 2 : 223'456 + i % 2);
    history.ns["c"].push_back(std::nan(""));
  }
  const auto page = PerTestPage({}, result, &history);
  REQUIRE(page);
  const nlohmann::json data = DataOf(*page);
  const auto& rows = data["benchmarks"];
  CHECK(rows[0]["name"] == "c");
  CHECK(rows[1]["name"] == "b");
  CHECK(rows[1]["head_ns"].is_null());
  CHECK(rows[2]["name"] == "a");
  CHECK(rows[0]["change"] == "+10.0%");
  CHECK(rows[0]["history"].is_null());
  // Only the newest versions are in the plot, with four digits.
  CHECK(rows[2]["history"]["ns"].size() == 200);
  CHECK(rows[2]["history"]["ns"][0] == 123'500);
  CHECK(rows[2]["history"]["changes"][0]["at"] == 150);
  CHECK(rows[2]["history"]["changes"][0]["place"] == "in " + std::string(10, 'a'));
  // Without its comparison, a benchmark says how to make it.
  CHECK(rows[0]["reasons"].back() ==
        "the flame graph: gprof-x diff --html FILE out/tests/0001/base out/tests/0001/head");
  CHECK(rows[2]["reasons"].size() == 3);
}

}  // namespace gprofx::testing
