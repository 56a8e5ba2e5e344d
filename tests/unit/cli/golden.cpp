#include "golden.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "cli/terminal/text.h"

namespace gprofx::testing {
namespace {

constexpr int64_t kThreeDaysLater = 1'765'000'000'000'000'000 + 3 * 86'400'000'000'000;

std::string GoldenPath(const std::string& name) { return "tests/data/report/" + name + ".txt"; }

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

ReportOptions OptionsOf(const std::vector<std::string>& args) {
  const auto command = ParseReport(args);
  REQUIRE(command);
  return command->options;
}

}  // namespace

std::string RenderView(const Profile& profile, const std::vector<std::string>& args, int columns,
                       const MakeBins& make_bins) {
  ReportSurroundings around;
  around.screen.columns = columns;
  around.now_realtime_ns = kThreeDaysLater;
  const ReportOptions options = OptionsOf(args);
  std::optional<TimelineBins> bins;
  if (make_bins) bins = make_bins(TimelineBinsFor(options, around.screen));
  const auto text = RenderReport(profile, options, around, {bins ? &*bins : nullptr, {}});
  REQUIRE(text);
  return *text;
}

void CheckGolden(const Profile& profile, const std::string& name,
                 const std::vector<std::string>& args, const MakeBins& make_bins) {
  for (const int columns : {80, 120}) {
    const std::string golden = name + "-" + std::to_string(columns);
    const std::string text = RenderView(profile, args, columns, make_bins);
    INFO(golden);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      // Commands that can be pasted are not broken.
      const bool command = line.find("gprof-x report ") != std::string::npos ||
                           line.find("gprof-x annotate ") != std::string::npos;
      CHECK((command || Columns(line) <= columns));
    }
    CHECK(text.find('\x1b') == std::string::npos);
    if (getenv("GPROFX_UPDATE_GOLDENS") != nullptr) std::ofstream(GoldenPath(golden)) << text;
    CHECK(text == ReadFile(GoldenPath(golden)));
  }
}

}  // namespace gprofx::testing
