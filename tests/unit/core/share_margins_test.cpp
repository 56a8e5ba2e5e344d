#include "core/cost/share_margins.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace gprofx {
namespace {

constexpr char kUnseen[] = "unseen";
constexpr int64_t kSecond = 1'000'000'000;

// A program whose share of busy time wanders around 40 %; of each window of 5 s some part is seen.
struct Run {
  double share = 0;       // seen
  double margin = 0;      // of the share
  double true_share = 0;  // of all time
};

Run RunOnce(std::mt19937& random, int windows) {
  std::normal_distribution<double> busy(0.4, 0.1);
  std::uniform_real_distribution<double> seen(0.5, 2.5);
  ShareMargins margins{kUnseen};
  std::vector<WallPart> sum = {{"gpu", 0}, {"idle", 0}, {kUnseen, 0}};
  double all_busy = 0;
  for (int i = 0; i < windows; ++i) {
    const double share = std::clamp(busy(random), 0.0, 1.0), seconds = seen(random);
    // What is not seen of the window is another draw of the same program.
    all_busy += share * seconds + std::clamp(busy(random), 0.0, 1.0) * (5 - seconds);
    const auto ns = [](double s) { return static_cast<int64_t>(s * kSecond); };
    const std::vector<WallPart> parts = {{"gpu", ns(share * seconds)},
                                         {"idle", ns((1 - share) * seconds)},
                                         {kUnseen, ns(5 - seconds)}};
    margins.AddWindow(parts);
    for (size_t k = 0; k < parts.size(); ++k) sum[k].ns += parts[k].ns;
  }
  margins.Give(sum);
  const auto total = static_cast<double>(sum[0].ns + sum[1].ns);
  CHECK(sum[0].margin_ns > 0);
  CHECK(std::llabs(sum[0].margin_ns - sum[1].margin_ns) < kSecond / 1000);
  CHECK(sum[2].margin_ns == 0);
  return {static_cast<double>(sum[0].ns) / total, static_cast<double>(sum[0].margin_ns) / total,
          all_busy / (5 * windows)};
}

}  // namespace

TEST_CASE("19 of 20 intervals hold the share of all time") {
  for (const int windows : {6, 12, 40}) {
    std::mt19937 random(static_cast<uint32_t>(windows));
    int held = 0;
    constexpr int kRuns = 1000;
    for (int i = 0; i < kRuns; ++i) {
      const Run run = RunOnce(random, windows);
      held += std::abs(run.share - run.true_share) <= run.margin;
    }
    INFO(windows << " windows: " << held << " of " << kRuns);
    CHECK(held >= 925);
    CHECK(held <= 995);
  }
}

TEST_CASE("few windows, or all time seen: no margin") {
  std::vector<WallPart> parts = {{"gpu", kSecond}, {kUnseen, kSecond}};
  ShareMargins few{kUnseen};
  for (int64_t i = 1; i < ShareMargins::kFewestWindows; ++i) few.AddWindow(parts);
  few.Give(parts);
  CHECK(parts[0].margin_ns == 0);
  ShareMargins all{kUnseen};
  parts = {{"gpu", kSecond}, {"idle", 2 * kSecond}};
  for (int i = 0; i < 10; ++i) all.AddWindow({{"gpu", i}, {"idle", 10 - i}});
  all.Give(parts);
  CHECK(parts[0].margin_ns == 0);
}

}  // namespace gprofx
