#include "core/own_cost.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace gprofx {
namespace {

TEST_CASE("paired ratios find a cost below the noise of single windows, in 95 of 100 intervals") {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.1);
  int inside = 0;
  for (int run = 0; run < 300; ++run) {
    PairedRatios ratios;
    for (int i = 0; i < 100; ++i) ratios.Add(40'000 * std::exp(noise(random)), 40'000 / 1.03);
    const PairedCost cost = ratios.Cost();
    CHECK(cost.pairs == 100);
    CHECK(cost.high - cost.low < 0.06);
    if (cost.low <= 1.03 && 1.03 <= cost.high) ++inside;
  }
  CHECK(inside > 270);
  CHECK(inside < 298);
}

TEST_CASE("one pair has no interval, and a window in which the program waited does not decide") {
  PairedRatios ratios;
  ratios.Add(100, 50);
  CHECK(ratios.Cost().pairs == 1);
  CHECK(ratios.Cost().ratio == 1);
  PairedRatios waited;
  for (int i = 0; i < 99; ++i) waited.Add(1000, 1000);
  waited.Add(1000, 1e-9);
  CHECK(waited.Cost().ratio < 1.02);
}

TEST_CASE("the parts of the cost multiply, records by a share of the time") {
  CostParts parts;
  parts.sampling = {50, 1.02, 1.01, 1.03};
  parts.launch_share = 0.03;
  parts.records = {80, 1.2, 1.16, 1.24};
  parts.records_share = 0.1;
  const PairedCost all = OwnCost(parts);
  CHECK(all.pairs == 50);
  CHECK(all.ratio == Approx(1.02 * 1.06 * 1.02).epsilon(1e-9));
  CHECK(all.low < all.ratio);
  // Wider than that of samples alone, by a tenth of that of records and by what is not known of
  // launches, in squares.
  CHECK(std::log(all.high / all.ratio) ==
        Approx(std::hypot(std::log(1.03 / 1.01) / 2, 0.1 * 1.2 / 1.02 * std::log(1.24 / 1.16) / 2,
                          1.96 * 0.03 / 1.06))
            .epsilon(0.01));
  parts.records_share = 0;
  CHECK(OwnCost(parts).ratio == Approx(1.02 * 1.06));
}

TEST_CASE("samples are timed and seen, and what is known better counts more") {
  CostParts parts;
  parts.sampling = {30, 1.12, 1.05, 1.195};
  CHECK(OwnCost(parts).ratio == Approx(1.12));  // not timed
  parts.sampling_share = 0.012;
  const PairedCost unsure = OwnCost(parts);
  CHECK(unsure.ratio < 1.02);
  CHECK(unsure.low < 1);
  CHECK(unsure.high > 1.04);  // they contradict each other
  parts.sampling = {400, 1.001, 0.999, 1.003};  // hidden behind the GPU
  CHECK(OwnCost(parts).ratio == Approx(1.001).margin(0.001));
  CHECK(OwnCost(parts).high < 1.006);
  parts.sampling = {1, 1, 1, 1};  // nothing seen
  CHECK(OwnCost(parts).ratio == Approx(1.012));
  CHECK(OwnCost(parts).high == Approx(1.024).margin(0.001));
}

TEST_CASE("launches cost more than our callbacks take") {
  CostParts parts;
  parts.sampling = {100, 1, 1, 1};
  parts.launch_share = 0.0212;  // Llama's generate, of which windows said 1.072 (1.052 to 1.092)
  const PairedCost all = OwnCost(parts);
  CHECK(all.low < 1.005);  // the GPU may be the limit
  CHECK(all.high > 1.07);
  CHECK(all.ratio > 1.03);
}

}  // namespace
}  // namespace gprofx
