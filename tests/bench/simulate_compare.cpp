// Prints how often the rules of core/compare are wrong, on simulated jobs whose truth is known.
//
// Model: functions with Zipf shares; a run consists of steps whose times follow each other
// (autocorrelated); the machine has another speed in each pair, drifts slowly over the job and
// wanders between two runs; each function has a noise of its own in each run (one in ten is flaky,
// in all runs of a job), and its samples are Poisson. A job is PAIRS runs of each version in ABBA
// order; one that suspects something makes as many fresh runs, as `gprof-x ci run` does.
//
// Usage: simulate_compare [JOBS [SEED]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/compare/statistics/confirm.h"

namespace gprofx::compare {
namespace {

constexpr size_t kFunctions = 150;
constexpr int kSteps = 50;
constexpr double kNoise = 0.015, kFlaky = 0.08;  // of a function from run to run

struct Job {
  double samples = 240'000;  // of a run
  size_t pairs = 5;
  double slower = 0;    // of one function, as a part of it
  double share = 0.05;  // about, of the function that gets slower
  double total = 0;     // slower everywhere
  bool moved = false;   // another function gives what the changed one takes
  bool steady = false;  // the function that gets slower is none of the flaky ones
};

std::vector<double> ZipfShares() {
  std::vector<double> shares;
  double sum = 0;
  for (size_t i = 0; i < kFunctions; ++i)
    sum += shares.emplace_back(1.0 / static_cast<double>(i + 1));
  for (double& share : shares) share /= sum;
  return shares;
}

std::string NameOf(size_t function) { return "f" + std::to_string(function); }

struct Sides {
  std::vector<Run> base, head;
};

Sides Joined(const Sides& one, const Sides& other) {
  Sides both = one;
  both.base.insert(both.base.end(), other.base.begin(), other.base.end());
  both.head.insert(both.head.end(), other.head.begin(), other.head.end());
  return both;
}

// What stays the same over all runs of one job.
class Machine {
 public:
  Machine(const Job& job, std::mt19937_64& random)
      : job_(job), random_(random), times_(ZipfShares()), noise_(kFunctions) {
    for (size_t i = 0; i < kFunctions; ++i) {
      if (std::fabs(times_[i] - job.share) < std::fabs(times_[changed_] - job.share)) changed_ = i;
    }
    for (double& sd : noise_) sd = random_() % 10 == 0 ? kFlaky : kNoise;
    if (job.steady) noise_[changed_] = kNoise;
    trend_ = 0.01 * Normal();
  }

  std::string changed() const { return NameOf(changed_); }

  Sides Record() {
    Sides sides;
    for (size_t pair = 0; pair < job_.pairs; ++pair) {
      speed_ = 0.0266 * Normal();
      for (const bool head : {pair % 2 != 0, pair % 2 == 0}) {  // ABBA
        (head ? sides.head : sides.base).push_back(RecordOne(head));
      }
    }
    return sides;
  }

 private:
  double Normal() { return normal_(random_); }

  // Mean over the steps of what they wander, each after the last.
  double Steps() {
    double step = 0, sum = 0;
    for (int i = 0; i < kSteps; ++i) sum += step = 0.9 * step + 0.005 * Normal();
    return sum / kSteps;
  }

  double TimeOf(size_t function, bool head) const {
    double time = times_[function];
    if (!head) return time;
    const double taken = times_[changed_] * job_.slower;
    if (function == changed_) time += taken;
    if (job_.moved && function == changed_ + 1) time -= taken;
    return time * (1 + job_.total);
  }

  Run RecordOne(bool head) {
    wander_ = 0.7 * wander_ + 0.005 * Normal();
    drift_ += trend_ / static_cast<double>(job_.pairs);
    const double common = speed_ + wander_ + drift_ + Steps();
    Run run;
    run.metric = "cpu";
    for (size_t i = 0; i < kFunctions; ++i) {
      const double time = TimeOf(i, head) * std::exp(common + noise_[i] * Normal());
      const auto samples =
          static_cast<double>(std::poisson_distribution<int64_t>(time * job_.samples)(random_));
      Part part;
      part.kind = FrameKind::kPython;
      part.name = NameOf(i);
      part.ns = samples * 1e6;
      part.samples = samples;
      run.total_ns += part.ns;
      if (samples > 0) run.functions.emplace(part.name, part);
    }
    run.measured_ns = run.accounted_ns = run.total_ns;
    return run;
  }

  const Job job_;
  std::mt19937_64& random_;
  std::normal_distribution<double> normal_;
  std::vector<double> times_, noise_;
  size_t changed_ = 0;
  double trend_ = 0, drift_ = 0, wander_ = 0, speed_ = 0;
};

struct Count {
  int function = 0, right = 0, total = 0, any = 0;

  void Add(const Diff& diff, const std::string& changed) {
    const bool total_slower = diff.total.verdict == Verdict::kRegression;
    const bool is_slower = !diff.functions.empty() && !diff.functions[0].moved &&
                           diff.functions[0].outcome.verdict == Verdict::kRegression;
    total += total_slower;
    function += is_slower;
    right += is_slower && diff.functions[0].part.name == changed;
    any += diff.verdict == Verdict::kRegression;
  }
};

void Print(const char* name, const Job& job, int jobs, unsigned long seed) {
  std::mt19937_64 random(seed);
  const Settings settings;
  Count once, confirmed;
  int suspected = 0;
  for (int i = 0; i < jobs; ++i) {
    Machine machine(job, random);
    const Sides first = machine.Record();
    Diff diff = CompareRuns(first.base, first.head, settings);
    once.Add(diff, machine.changed());
    if (NeedsConfirmation(diff)) {
      ++suspected;
      const Sides fresh = machine.Record(), all = Joined(first, fresh);
      diff = Confirmed(diff, CompareRuns(fresh.base, fresh.head, settings),
                       CompareRuns(all.base, all.head, settings));
    }
    confirmed.Add(diff, machine.changed());
  }
  const auto percent = [&](int count) { return 100.0 * count / jobs; };
  printf("%-32s", name);
  for (const Count& count : {once, confirmed}) {
    printf(" |%6.2f %6.2f %6.2f %6.2f", percent(count.any), percent(count.total),
           percent(count.function), percent(count.right));
  }
  printf(" | %5.1f\n", percent(suspected));
  fflush(stdout);
}

}  // namespace
}  // namespace gprofx::compare

int main(int argc, char** argv) {
  using namespace gprofx::compare;
  const int jobs = argc > 1 ? atoi(argv[1]) : 1000;
  const unsigned long seed = argc > 2 ? strtoul(argv[2], nullptr, 10) : 42;
  const auto print = [&](const char* name, const Job& job) { Print(name, job, jobs, seed); };
  printf(
      "%d jobs each; %% of jobs that call a regression: any, the total, a function, the right "
      "function first\n",
      jobs);
  printf("%-32s |%27s |%27s | %5s\n", "", "5 pairs, gprof-x diff", "and 5 where suspected, ci run",
         "again");
  print("nothing changed", {});
  print("nothing changed, 24,000 samples", {.samples = 24'000});
  print("nothing changed, 1,000 samples", {.samples = 1'000});
  print("nothing changed, 300 samples", {.samples = 300});
  print("moved to another function", {.slower = 0.15, .moved = true});
  print("a function of 5% by 5%", {.slower = 0.05});
  print("a function of 5% by 10%", {.slower = 0.10});
  print("a steady one of 5% by 10%", {.slower = 0.10, .steady = true});
  print("a function of 5% by 15%", {.slower = 0.15});
  print("a function of 5% by 25%", {.slower = 0.25});
  print("by 10%, 24,000 samples", {.samples = 24'000, .slower = 0.10});
  print("by 10%, 10 pairs", {.pairs = 10, .slower = 0.10});
  print("everything by 3%", {.total = 0.03});
  return 0;
}
