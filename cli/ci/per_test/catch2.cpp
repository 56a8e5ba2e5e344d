// Implements the harness for Catch2. Catch2 cannot run anything smaller than a test case alone. A
// test case with BENCHMARKs is therefore one benchmark here, and its time is the sum of the mean
// times of its BENCHMARKs.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "cli/ci/per_test/harness.h"
#include "cli/ci/per_test/lines.h"
#include "cli/ci/per_test/read_json.h"

namespace gprofx {
namespace {

// Escapes the characters that have a meaning in a test specification of Catch2.
std::string Escaped(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (std::string_view("\\,[]*\"").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// Returns the number in the attribute NAME="..." of the XML element at `at`. Returns 0 if there is
// none.
double AttributeAfter(const std::string& xml, size_t at, std::string_view name) {
  const std::string wanted = std::string(name) + "=\"";
  const size_t end = std::min(xml.find('>', at), xml.size());
  const size_t found = xml.find(wanted, at);
  if (found == std::string::npos || found > end) return 0;
  const double value = strtod(xml.c_str() + found + wanted.size(), nullptr);
  return std::isfinite(value) ? value : 0;
}

class Catch2 : public Harness {
 public:
  const char* name() const override { return "Catch2"; }

  // This option is the one that Catch2 2 and 3 have in common. In version 2 the exit status is the
  // number of tests, so a status other than 0 is no failure.
  std::vector<std::string> ListWords(const std::string&) const override {
    return {"--list-test-names-only"};
  }

  Result<std::vector<std::string>> ReadList(const std::string& stem) override {
    return ReadLines(stem + ".log");
  }

  Result<std::vector<std::string>> RunWords(const std::string& benchmark, const std::string& stem,
                                            const WorkAmount&, const TurnFiles&) const override {
    return std::vector<std::string>{Escaped(benchmark),       "-r", "xml", "-o", stem + ".json",
                                    "--benchmark-no-analysis"};
  }

  Result<BenchmarkTimes> ReadTimes(const std::string& stem) const override {
    const Result<std::string> xml = ReadHarnessText(stem + ".json");
    if (!xml) return xml.error();
    BenchmarkTimes times;
    for (size_t at = xml->find("<BenchmarkResults"); at != std::string::npos;
         at = xml->find("<BenchmarkResults", at + 1)) {
      const size_t mean = xml->find("<mean", at);
      if (mean == std::string::npos) break;
      times.wall_ns += AttributeAfter(*xml, mean, "value");
      ++times.work.batches;
    }
    times.work.calls = 1;
    if (times.wall_ns <= 0) times.problem = "it has no BENCHMARK";
    times.skipped = times.wall_ns <= 0;
    return times;
  }
};

}  // namespace

std::unique_ptr<Harness> Catch2Harness() { return std::make_unique<Catch2>(); }

}  // namespace gprofx
