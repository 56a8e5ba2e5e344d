#include "core/compare/statistics/moderation.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/compare/statistics/tests.h"

namespace gprofx::compare {

TEST_CASE("the prior of simulated variances is found again") {
  // variance = prior variance * prior df / chi2(prior df), seen through chi2(df) / df.
  std::mt19937_64 random(7);
  constexpr double kPriorDf = 12, kPriorVariance = 3, kDf = 4;
  std::chi_squared_distribution<double> of_prior(kPriorDf), of_data(kDf);
  std::vector<double> variances;
  for (int i = 0; i < 20'000; ++i) {
    const double truth = kPriorVariance * kPriorDf / of_prior(random);
    variances.push_back(truth * of_data(random) / kDf);
  }
  const Prior prior = FitPrior(variances, kDf);
  CHECK(prior.df == Approx(kPriorDf).epsilon(0.1));
  CHECK(prior.variance == Approx(kPriorVariance).epsilon(0.05));
  const Variance moderated = Moderated(prior, 2 * prior.variance, kDf);
  CHECK(moderated.df == Approx(prior.df + kDf));
  CHECK(moderated.value > prior.variance);
  CHECK(moderated.value < 2 * prior.variance);
}

TEST_CASE("equal variances are one variance, few tell nothing, an outlier keeps its own") {
  std::mt19937_64 random(8);
  std::chi_squared_distribution<double> of_data(4);
  std::vector<double> variances;
  for (int i = 0; i < 5'000; ++i) variances.push_back(of_data(random) / 4);
  const Prior prior = FitPrior(variances, 4);
  CHECK(prior.df > 100);
  CHECK(Moderated(prior, 1.5, 4).value == Approx(1).epsilon(0.1));
  CHECK(Moderated(prior, 50, 4).value == 50);
  CHECK(Moderated(prior, 50, 4).df == 4);
  const std::vector<double> few = {1, 2};
  CHECK(FitPrior(few, 4).df == 0);
  CHECK(Moderated({}, 7, 4).value == 7);
  const std::vector<double> zeros(10, 0.0);
  CHECK(std::isfinite(FitPrior(zeros, 4).variance));
}

TEST_CASE("tests of one effect agree with tables of the t-distribution") {
  // t = 2.776 is the 97.5 % point of 4 degrees of freedom.
  const Estimate estimate{2.776 * 0.01, 0.01, 4};
  CHECK(PValueOfMoreThan(estimate, 0) == Approx(0.05).margin(1e-4));
  const Interval interval = ConfidenceInterval(estimate, 0.95);
  CHECK(interval.low == Approx(0).margin(1e-5));
  CHECK(interval.high == Approx(2 * 2.776 * 0.01).epsilon(1e-3));
  CHECK(PValueOfMoreThan({0.02, 0.01, 4}, 0.02) > 0.49);  // just the least effect is a coin's throw
  CHECK(PValueOfMoreThan({-0.5, 0.01, 4}, 0.02) < 1e-4);  // both directions
  CHECK(PValueOfWithin({0, 0.01, 4}, 2.132 * 0.01) == Approx(0.05).margin(1e-4));
  CHECK(PValueOfWithin({0.5, 0.01, 4}, 0.02) > 0.99);
  CHECK(PValueOfMoreThan({0.5, 0, 4}, 0.02) == 0);  // exact counts have no error
  CHECK(PValueOfMoreThan({0.01, 0, 4}, 0.02) == 1);
  CHECK(PValueOfMoreThan({0.5, 0.1, 0}, 0.02) == 1);  // one run of each
  CHECK(PValueOfMoreThan({std::nan(""), 0.1, 4}, 0.02) == 1);
}

TEST_CASE("false discovery rates are those of Benjamini and Hochberg") {
  // The example of their paper (1995): 15 hypotheses, four discoveries at 5 %.
  const std::vector<double> p = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0};
  const std::vector<double> rates = FalseDiscoveryRates(p);
  int discoveries = 0;
  for (const double rate : rates) discoveries += rate <= 0.05;
  CHECK(discoveries == 4);
  CHECK(rates[0] == Approx(0.0015));
  CHECK(rates[3] == Approx(0.0095 * 15 / 4));
  std::vector<double> turned(p.rbegin(), p.rend());
  CHECK(FalseDiscoveryRates(turned).front() == rates.back());
  CHECK(FalseDiscoveryRates({}).empty());
}

TEST_CASE("series that repeat exactly leave the one that does not as it is") {
  std::vector<double> variances(20, 0.0);
  variances.push_back(1e3);
  const Prior prior = FitPrior(variances, 4);
  for (const double variance : {0.0, 1e3}) {
    const Variance moderated = Moderated(prior, variance, 4);
    CHECK(moderated.value == Approx(variance));
    CHECK(moderated.df > 0);
  }
}

}  // namespace gprofx::compare
