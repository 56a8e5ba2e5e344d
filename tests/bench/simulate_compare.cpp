// Prints how often the rules of core/compare are wrong, on simulated jobs whose truth is known.
//
// Model: functions with Zipf shares; each run of a version has its own speed of the machine, which
// both runs of a pair share but for what drifts between them (an autocorrelated walk), a noise of
// its own for each function (one in ten is flaky), and Poisson samples. A job is PAIRS runs of each
// version; jobs that would fail are repeated with fresh pairs, as `gprof-x ci` does.
//
// Usage: simulate_compare [JOBS [FALSE_DISCOVERIES]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "core/compare/compare.h"

namespace gprofx::compare {
namespace {

constexpr size_t kFunctions = 150;

struct Job {
  double samples = 240'000;  // of a run
  size_t pairs = 5;
  double slower = 0;    // of one function, as a part of it
  double share = 0.05;  // about, of the function that gets slower
  double total = 0;     // slower everywhere
};

struct Data {
  Series total;
  std::vector<Series> functions;
  size_t changed = 0;
};

std::vector<double> ZipfShares() {
  std::vector<double> shares;
  double sum = 0;
  for (size_t i = 0; i < kFunctions; ++i)
    sum += shares.emplace_back(1.0 / static_cast<double>(i + 1));
  for (double& share : shares) share /= sum;
  return shares;
}

Data Simulate(const Job& job, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const std::vector<double> shares = ZipfShares();
  Data data;
  data.functions.resize(kFunctions);
  for (size_t i = 0; i < kFunctions; ++i) {
    if (std::fabs(shares[i] - job.share) < std::fabs(shares[data.changed] - job.share))
      data.changed = i;
  }
  std::vector<double> flaky(kFunctions);
  for (double& sd : flaky) sd = random() % 10 == 0 ? 0.08 : 0.015;
  double drift = 0;
  for (size_t pair = 0; pair < job.pairs; ++pair) {
    const double machine = 0.0266 * normal(random);
    for (const bool head_side : {pair % 2 != 0, pair % 2 == 0}) {  // ABBA
      drift = 0.7 * drift + 0.005 * normal(random);
      double sum = 0, counted = 0;
      for (size_t i = 0; i < kFunctions; ++i) {
        double time = shares[i] * std::exp(machine + drift + flaky[i] * normal(random));
        if (head_side) time *= 1 + job.total;
        if (head_side && i == data.changed) time *= 1 + job.slower;
        const auto samples =
            static_cast<double>(std::poisson_distribution<int64_t>(time * job.samples)(random));
        Series& series = data.functions[i];
        (head_side ? series.head : series.base).push_back(samples / job.samples);
        (head_side ? series.head_samples : series.base_samples).push_back(samples);
        sum += samples / job.samples;
        counted += samples;
      }
      (head_side ? data.total.head : data.total.base).push_back(sum);
      (head_side ? data.total.head_samples : data.total.base_samples).push_back(counted);
    }
  }
  return data;
}

// What a job calls slower: the total, and functions, the one that costs most first.
struct Answer {
  bool total = false;
  std::vector<size_t> functions;
  bool IsRight(size_t changed) const { return !functions.empty() && functions[0] == changed; }
};

Answer Sorted(Answer answer, const Comparison& found) {
  const auto cost = [&](size_t i) { return found.subjects[i].head - found.subjects[i].base; };
  std::sort(answer.functions.begin(), answer.functions.end(),
            [&](size_t a, size_t b) { return cost(a) > cost(b); });
  return answer;
}

Answer Found(const Comparison& found) {
  Answer answer;
  answer.total = found.total.verdict == Verdict::kRegression;
  for (size_t i = 0; i < found.subjects.size(); ++i) {
    if (found.subjects[i].verdict == Verdict::kRegression) answer.functions.push_back(i);
  }
  return Sorted(answer, found);
}

Answer Confirmed(const Answer& first, const Comparison& found, const Comparison& again,
                 const Settings& settings) {
  Answer both;
  both.total = first.total && Confirms(found.total, again.total, settings);
  for (const size_t i : first.functions) {
    if (Confirms(found.subjects[i], again.subjects[i], settings)) both.functions.push_back(i);
  }
  return Sorted(both, found);
}

void Print(const char* name, const Job& job, int jobs, const Settings& settings) {
  std::mt19937_64 random(42);
  int function = 0, total = 0, blamed = 0, confirmed_function = 0, confirmed_total = 0,
      innocent = 0;
  for (int i = 0; i < jobs; ++i) {
    const Data data = Simulate(job, random);
    const Comparison found = Compare(data.total, data.functions, settings);
    const Answer answer = Found(found);
    function += !answer.functions.empty();
    total += answer.total;
    blamed += answer.IsRight(data.changed);
    if (answer.functions.empty() && !answer.total) continue;
    const Data fresh = Simulate(job, random);
    const Answer both =
        Confirmed(answer, found, Compare(fresh.total, fresh.functions, settings), settings);
    confirmed_function += !both.functions.empty();
    confirmed_total += both.total;
    innocent += !both.functions.empty() && !both.IsRight(data.changed);
  }
  const auto percent = [&](int count) { return 100.0 * count / jobs; };
  printf("%-34s %8.2f %8.2f %8.2f %12.2f %8.2f %9.2f\n", name, percent(function), percent(total),
         percent(blamed), percent(confirmed_function), percent(confirmed_total), percent(innocent));
}

}  // namespace
}  // namespace gprofx::compare

int main(int argc, char** argv) {
  using namespace gprofx::compare;
  const int jobs = argc > 1 ? atoi(argv[1]) : 1000;
  Settings settings;
  if (argc > 2) settings.false_discoveries = atof(argv[2]);
  printf("%d jobs each; %% of jobs in which ... was called slower; 5 + 5 runs\n", jobs);
  printf("%-34s %8s %8s %8s %12s %8s %9s\n", "", "function", "total", "right", "confirmed: f",
         "total", "innocent");
  Print("nothing changed", {}, jobs, settings);
  Print("nothing changed, 24,000 samples", {.samples = 24'000}, jobs, settings);
  for (const double slower : {0.05, 0.10, 0.15, 0.25}) {
    char name[64];
    snprintf(name, sizeof name, "one function of 5%% by %.0f%%", 100 * slower);
    Print(name, {.slower = slower}, jobs, settings);
  }
  Print("the same by 10%, 24,000 samples", {.samples = 24'000, .slower = 0.10}, jobs, settings);
  Print("the same by 10%, 10 + 10 runs", {.pairs = 10, .slower = 0.10}, jobs, settings);
  Print("everything by 3%", {.total = 0.03}, jobs, settings);
  return 0;
}
