#include "samplers/agent/stacks/weights.h"

#include <catch2/catch.hpp>
#include <random>

using namespace gprofx;
using namespace gprofx::agent;

namespace {

wire::SamplingPlan Plan() {
  wire::SamplingPlan plan{};
  plan.use_perf = 1;
  plan.tick_ns = 4000000;
  plan.posix_period_ns = 4000000;
  plan.perf_period_ns = 1338688;
  plan.nominal_period_ns = 1003009;
  return plan;
}

struct Shares {
  int64_t a = 0, b = 0, kernel = 0;
  int64_t Sum() const { return a + b + kernel; }
};

// A thread that spends its time in turn in user code a, user code b and the kernel. Ticks come
// every `tick` of CPU time; the perf event as the kernel does it, with expiries in kernel mode
// lost.
Shares Simulate(int64_t a_ns, int64_t b_ns, int64_t kernel_ns, int64_t tick, int64_t total) {
  wire::SamplingPlan plan = Plan();
  CpuLedger ledger;
  ledger.Start(0);
  ledger.StartPerf();
  Shares shares;
  const int64_t cycle = a_ns + b_ns + kernel_ns;
  auto where = [&](int64_t t) { return t % cycle < a_ns ? 0 : t % cycle < a_ns + b_ns ? 1 : 2; };
  auto add = [&](int place, int64_t weight) {
    (place == 0 ? shares.a : place == 1 ? shares.b : shares.kernel) += weight;
  };
  int64_t next_tick = tick, next_perf = static_cast<int64_t>(plan.perf_period_ns);
  while (next_tick < total) {
    if (next_perf <= next_tick) {
      if (where(next_perf) != 2) add(where(next_perf), ledger.OnPerf(plan));
      next_perf += static_cast<int64_t>(plan.perf_period_ns);
    } else {
      add(where(next_tick), ledger.OnTick(plan, next_tick, where(next_tick) == 2));
      next_tick += tick;
    }
  }
  return shares;
}

}  // namespace

TEST_CASE("where perf events end, ticks take all that has no weight yet") {
  CpuLedger ledger;
  ledger.Start(0);
  ledger.StartPerf();
  int64_t sum = 0, cpu = 0;
  for (int i = 0; i < 1000; ++i) sum += ledger.OnPerf(Plan(), cpu += 1338688);
  ledger.StopPerf();
  CHECK(ledger.OnPerf(Plan(), cpu) == 0);  // it was on its way
  for (int i = 0; i < 10; ++i) sum += ledger.OnTick(Plan(), cpu += 4'000'000, i % 2 == 0);
  CHECK(sum == cpu);
  CHECK(ledger.OnPerf(Plan(), cpu) == 0);
  ledger.StartPerf();  // it is opened again
  for (int i = 0; i < 1000; ++i) sum += ledger.OnPerf(Plan(), cpu += 1338688);
  ledger.StopPerf();
  sum += ledger.TakeAll(cpu += 1'000'000);  // a pause
  sum += ledger.OnTick(Plan(), cpu += 4'000'000, true);
  CHECK(sum == cpu);
}

TEST_CASE("without perf a tick weighs the time since the one before") {
  CpuLedger ledger;
  ledger.Start(1000);
  CHECK(ledger.OnTick(Plan(), 4001000, false) == 4000000);
  CHECK(ledger.OnTick(Plan(), 12001000, true) == 8000000);
}

TEST_CASE("user and kernel time are shared out rightly, and the sum is the CPU clock") {
  const int64_t second = 1000000000;
  for (auto [a, b, kernel] : {std::array<int64_t, 3>{700013, 1900031, 0},
                              {300007, 300011, 600029},
                              {5000, 90001, 700001},
                              {1000003, 10, 3000017},
                              {11, 13, 4000037}}) {
    Shares s = Simulate(a, b, kernel, 4000000, 60 * second);
    const double cycle = static_cast<double>(a + b + kernel), sum = static_cast<double>(s.Sum());
    CHECK(sum / (60.0 * second) == Approx(1).epsilon(0.002));
    CHECK(static_cast<double>(s.a) / sum == Approx(static_cast<double>(a) / cycle).margin(0.012));
    CHECK(static_cast<double>(s.b) / sum == Approx(static_cast<double>(b) / cycle).margin(0.012));
    CHECK(static_cast<double>(s.kernel) / sum ==
          Approx(static_cast<double>(kernel) / cycle).margin(0.012));
  }
}

TEST_CASE("ticks that always land in the same place bend the shares little") {
  // A cycle of exactly one tick: every tick is in `a`, which has a tenth of the time.
  Shares s = Simulate(400000, 3600000, 0, 4000000, 60000000000);
  const double share = static_cast<double>(s.a) / static_cast<double>(s.Sum());
  CHECK(share > 0.09);
  CHECK(share < 0.36);  // ticks alone would say 1
}

TEST_CASE("kernel time that no tick finds at a system call is not lost") {
  wire::SamplingPlan plan = Plan();
  CpuLedger ledger;
  ledger.Start(0);
  ledger.StartPerf();
  int64_t sum = 0;
  for (int64_t t = 4000000; t <= 1000000000; t += 4000000)
    sum += ledger.OnTick(plan, t, false);  // page faults only
  CHECK(sum >= 980000000);
  CHECK(sum <= 1000000000);
}

TEST_CASE("in a short life the weights never pass the clock") {
  wire::SamplingPlan plan = Plan();
  std::mt19937 random(7);
  for (int life = 0; life < 1000; ++life) {
    CpuLedger ledger;
    ledger.Start(0);
    int64_t clock = 0, sum = 0;
    for (int i = 0; i < 20; ++i) {
      clock += 10000 + static_cast<int64_t>(random() % 2000000);
      const bool tick = random() % 3 == 0;
      sum += tick ? ledger.OnTick(plan, clock, random() % 2 == 0) : ledger.OnPerf(plan, clock);
      if (i == 0) ledger.StartPerf();
      REQUIRE(sum <= clock);
    }
  }
}

TEST_CASE("what was taken without a weight is in none that come later") {
  for (const bool with_perf : {false, true}) {
    const wire::SamplingPlan plan = Plan();
    CpuLedger ledger;
    ledger.Start(5'000'000);
    if (with_perf) ledger.StartPerf();
    int64_t given = 0;
    const auto step = static_cast<int64_t>(plan.perf_period_ns);
    int64_t clock = 5'000'000;
    for (int i = 0; i < 20; ++i) {
      clock += step;
      given += with_perf ? ledger.OnPerf(plan) : ledger.OnTick(plan, clock, false);
    }
    // Nothing counts user time in a pause.
    CHECK(ledger.TakeAll(925'000'000) + given == 920'000'000);
    CHECK(ledger.TakeAll(925'000'000) == 0);
    int64_t later = 0;
    for (int i = 1; i <= 100; ++i) {
      if (with_perf) later += ledger.OnPerf(plan);
      if (!with_perf || i % 4 == 0) later += ledger.OnTick(plan, 925'000'000 + i * step, true);
    }
    CHECK(later > 95 * step);
    CHECK(later <= 101 * step);
  }
}

TEST_CASE("at low rates user time is neither taken for the kernel's nor shared out among ticks") {
  wire::SamplingPlan plan = Plan();
  plan.posix_period_ns = plan.perf_period_ns = plan.nominal_period_ns = 100000000;  // 10 Hz
  CpuLedger ledger;
  ledger.Start(0);
  ledger.StartPerf();
  std::mt19937 random(7);
  const auto period = [&] { return 85000000 + static_cast<int64_t>(random() % 30000000); };
  int samples = 0;
  int64_t sum = 0, next_perf = period();
  for (int64_t t = 4000000; t <= 10000000000; t += 4000000) {
    if (t >= next_perf) {
      next_perf += period();
      const int64_t weight = ledger.OnPerf(plan, t);
      samples += weight > 0;
      sum += weight;
    }
    if (t % 100000000 == 52000000) {
      const int64_t weight = ledger.OnTick(plan, t, false);
      samples += weight > 0;
      sum += weight;
    }
  }
  CHECK(samples >= 95);
  CHECK(samples <= 105);
  CHECK(sum >= 9500000000);
  CHECK(sum <= 10000000000);
}
