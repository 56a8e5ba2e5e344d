#include "samplers/cuda/hooks/launch_counts.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

namespace gprofx::cuda {
namespace {

constexpr int32_t kLine = 3;

// Launches of one thread, and how many launches were told of each path.
struct Program {
  std::map<uint32_t, int64_t> made, told, paths;

  void Launch(uint64_t kernel, uint64_t sp, uint32_t path) {
    ++made[path];
    const LaunchCounts::Turn turn = LaunchCounts::Count(kLine, kernel, sp);
    if (turn.told == 0) return;
    told[path] += turn.told;
    ++paths[path];
    LaunchCounts::Note(kLine, turn.key, path, 7, 1);
  }
};

}  // namespace

TEST_CASE("Every launch takes its path where that is cheap, and where a thread has no table") {
  LaunchCounts::SetMean(1);
  Program program;
  for (int i = 0; i < 5000; ++i) program.Launch(0x1000, 0x7f00, 1);
  CHECK(program.paths[1] == 5000);
  LaunchCounts::SetMean(8);
  for (int i = 0; i < 100; ++i) CHECK(LaunchCounts::Count(-1, 0x1000, 0x7f00).told == 1);
}

TEST_CASE("One launch in some takes its path, and no launch is told twice or forgotten") {
  const auto mean = GENERATE(2u, 6u, 16u, 1000u);
  LaunchCounts::SetMean(mean);
  Program program;
  constexpr int kSteps = 20'000, kKernels = 40;
  for (int step = 0; step < kSteps; ++step) {
    for (uint32_t kernel = 0; kernel < kKernels; ++kernel)
      program.Launch(0x5'0000'0000 + mean * 0x10000 + kernel * 64, 0x7ffe'0000 + kernel % 3 * 16,
                     kernel + 1);
  }
  const double most = std::min(mean, LaunchCounts::kMaxMean);
  for (const auto& [path, made] : program.made) {
    CHECK(made - program.told[path] >= 0);
    CHECK(made - program.told[path] < 2 * most);
    const double distance = static_cast<double>(made) / static_cast<double>(program.paths[path]);
    CHECK(distance > 0.7 * most);
    CHECK(distance < 1.1 * most);
  }
}

TEST_CASE("Rare launches have their path each time") {
  LaunchCounts::SetMean(16);
  Program program;
  for (uint32_t i = 0; i < LaunchCounts::kRareShare - 1; ++i) program.Launch(0x9000, 0x8000, 5);
  CHECK(program.paths[5] == LaunchCounts::kRareShare - 1);
}

TEST_CASE("Paths that share a key get their shares, whatever the period of the program") {
  LaunchCounts::SetMean(6);
  const auto period = GENERATE(2, 3, 4, 6, 8, 12);
  Program program;
  for (int i = 0; i < 960'000; ++i)
    program.Launch(0xa000 + static_cast<uint64_t>(period) * 4096, 0x8000,
                   static_cast<uint32_t>(i % period) + 1);
  for (const auto& [path, made] : program.made)
    CHECK(static_cast<double>(program.told[path]) ==
          Approx(static_cast<double>(made)).epsilon(0.05));
}

TEST_CASE("More keys than there is room for: launches are told late, not wrong") {
  LaunchCounts::SetMean(16);
  Program program;
  std::mt19937 random(1);
  for (int i = 0; i < 400'000; ++i) {
    const auto kernel = static_cast<uint32_t>(random() % 6000);
    program.Launch(0xb000'0000 + kernel * uint64_t{256}, 0x8000, kernel + 1);
  }
  int64_t made = 0, told = 0;
  for (const auto& [path, count] : program.made) made += count;
  for (const auto& [path, count] : program.told) told += count;
  CHECK(told <= made);
  CHECK(static_cast<double>(told) > 0.97 * static_cast<double>(made));
}

}  // namespace gprofx::cuda
