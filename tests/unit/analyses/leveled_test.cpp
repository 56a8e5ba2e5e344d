#include "core/analyses/leveled.h"

#include <catch2/catch.hpp>

#include "core/analyses/runs.h"

using namespace gprofx;
using namespace gprofx::analyses;

namespace {

constexpr int64_t kUs = 1000;

// As LeveledRun makes it. A step of 0 = none were found; own cost of 0 = not measured.
std::vector<Analysis> Run(const std::string& level, int64_t repeat, int64_t wall, int64_t step,
                          double own = 0, int64_t gpu = 0) {
  Analysis run;
  run.name = kLeveledRuns;
  AnalysisCell step_cell, gpu_cell, own_cell;
  if (step != 0) step_cell = step;
  if (gpu != 0) gpu_cell = gpu;
  if (own != 0) own_cell = own;
  run.rows.push_back({level, repeat, wall, int64_t{step == 0 ? 0 : 1000}, step_cell, gpu_cell,
                      own_cell, AnalysisCell(), AnalysisCell()});
  return {run};
}

Analysis Joined(std::vector<std::vector<Analysis>> runs) { return JoinRuns(std::move(runs))[0]; }

AnalysisCell Cell(const Analysis& table, size_t row, const std::string& id) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].id == id) return table.rows.at(row).at(i);
  }
  FAIL(id);
  return {};
}

bool Says(const Analysis& table, const std::string& words) {
  for (const std::string& note : table.notes) {
    if (note.find(words) != std::string::npos) return true;
  }
  return false;
}

// 100 launches a step; a level that takes 20 us a launch, on a machine that gets slower from pair
// to pair.
std::vector<std::vector<Analysis>> DriftingRuns(double own) {
  std::vector<std::vector<Analysis>> runs;
  for (int64_t i = 0; i < 5; ++i) {
    const int64_t drift = i * 300 * kUs, bare = 10'000 * kUs + drift;
    runs.push_back(Run("MLK", i, 0, bare + (2000 + i % 2) * kUs, 0, 5000));
    runs.push_back(Run("M", i, 0, bare));
    runs.push_back(Run("default", i, 0, bare + 500 * kUs, own, 5010));
  }
  return runs;
}

}  // namespace

TEST_CASE("what a level adds is found in pairs, whatever drifts") {
  const Analysis table = Joined(DriftingRuns(1.04));
  REQUIRE(table.rows.size() == 3);
  CHECK(Cell(table, 0, "level") == AnalysisCell(std::string("M")));
  CHECK(Cell(table, 0, "added_ns") == AnalysisCell());
  const int64_t added = std::get<int64_t>(Cell(table, 1, "added_ns"));
  CHECK(added >= 2000 * kUs);
  CHECK(added <= 2001 * kUs);
  CHECK(std::get<int64_t>(Cell(table, 1, "high_ns")) < 2005 * kUs);
  // The default is compared with the first, not with what has more switched on.
  CHECK(Cell(table, 2, "added_ns") == AnalysisCell(500 * kUs));
  CHECK(Says(table, "they agree within 3%"));
  CHECK_FALSE(Says(table, "GPU time of a step differs"));
}

TEST_CASE("where the recording's own measure differs, the runs are trusted if they are sure") {
  CHECK(Says(Joined(DriftingRuns(1.12)), "trust the runs"));
  std::vector<std::vector<Analysis>> wild;
  for (int64_t i = 0; i < 5; ++i) {
    wild.push_back(Run("M", i, 0, 10'000 * kUs));
    wild.push_back(Run("default", i, 0, (10'000 + 1000 * i) * kUs, 1.02));
  }
  CHECK(Says(Joined(wild), "trust its own measure"));
}

TEST_CASE("sets without steps are compared by their whole runs") {
  std::vector<std::vector<Analysis>> runs;
  for (int64_t i = 0; i < 2; ++i) {
    runs.push_back(Run("M", i, 1'000'000 * kUs, 0));
    runs.push_back(Run("MLK", i, 1'100'000 * kUs, 1050 * kUs));
  }
  const Analysis table = Joined(runs);
  CHECK(Cell(table, 1, "added_ns") == AnalysisCell(100 * kUs));
  CHECK(Cell(table, 1, "low_ns") == AnalysisCell());  // two pairs tell no interval
  CHECK(Says(table, "divided by the steps of the others"));
}

TEST_CASE("GPU time that differs between the sets is told") {
  auto runs = DriftingRuns(1.04);
  runs[0] = Run("MLK", 0, 0, 12'000 * kUs, 0, 9000);
  CHECK(Says(Joined(runs), "GPU time of a step differs by"));
}
