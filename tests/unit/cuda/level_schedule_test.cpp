#include "samplers/cuda/levels/level_schedule.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <random>
#include <utility>

#include "samplers/cuda/levels/busy.h"

using namespace gprofx::cuda;
using gprofx::wire::kLevelLaunches;
using gprofx::wire::kLevelRecords;

namespace {

// A program that launches 40,000 times a second where nothing is traced, on a machine whose speed
// wanders by 15 % up and down.
struct Program {
  double rate = 40'000, cost = 0.1, own = 0.005, busy = 0.3, operations = 1;  // of a launch
  double wander = 0.15;
  bool known = true;  // what a launch with records takes more
  std::mt19937 random{7};

  LevelSchedule::Window Run(const LevelSchedule::Step& step) {
    const double speed = std::uniform_real_distribution<double>(1 - wander, 1 + wander)(random);
    const double slowed = step.level == kLevelRecords ? 1 + cost : 1;
    const double seconds = static_cast<double>(step.ns) / 1e9;
    const auto launches = static_cast<uint64_t>(rate * speed / slowed * seconds);
    return {step.level,
            step.ns,
            launches,
            static_cast<uint64_t>(own * static_cast<double>(step.ns)),
            known ? cost / rate * 1e9 : 0,
            Gpu(step, launches)};
  }

  // All of it is known when the window ends; nothing more comes.
  BusyMeter::Work gpu;
  BusyMeter::Work Gpu(const LevelSchedule::Step& step, uint64_t launches) {
    // As if windows before it had been alike.
    constexpr uint64_t kRecent = BusyMeter::kRecentNs;
    if (step.level == kLevelRecords)
      gpu = {static_cast<uint64_t>(busy * static_cast<double>(kRecent)), kRecent,
             static_cast<uint64_t>(operations * static_cast<double>(launches)), launches};
    return gpu;
  }
};

// Launches run ahead of the GPU in bursts and then wait for it: work is put on it 200 ms before it
// runs, and its records come when it has run. It warms up for a second, in which it is slow to
// launch.
struct Ahead {
  double gpu;          // milliseconds of GPU work of a millisecond of launching
  size_t most = 200;   // milliseconds of work that may wait
  bool drains = true;  // the host waits until all is done, else until there is room
  struct Work {        // a millisecond of it
    uint32_t id;
    bool has_record;
  };
  std::deque<Work> queue;
  bool launching = true;
  double rest = 0;
  uint32_t id = 0xffff'0000;
  uint64_t ms = 1;
  BusyMeter meter;

  LevelSchedule::Window Run(const LevelSchedule::Step& step) {
    LevelSchedule::Window window{step.level, step.ns, 0, 0, 0, {}};
    if (step.level == kLevelRecords) meter.Begin(id - 6);  // one of seven is noted
    for (const uint64_t end = ms + static_cast<uint64_t>(step.ns) / 1'000'000; ms < end; ++ms) {
      const bool warm = ms > 1000;
      launching = queue.empty() || ((launching || !drains) && queue.size() < most);
      if (launching) {
        window.launches += 40;
        for (rest += warm ? gpu : 0.4; rest >= 1; rest -= 1)
          queue.push_back({++id, step.level == kLevelRecords});
      }
      if (queue.empty()) continue;
      if (queue.front().has_record)
        meter.Add(queue.front().id, ms * 1'000'000, (ms + 1) * 1'000'000);
      queue.pop_front();
    }
    if (step.level == kLevelRecords) meter.End(step.ns, window.launches);
    window.gpu = meter.Recent();
    return window;
  }
};

// The share of five minutes with records, the first seconds apart.
template <class AnyProgram>
double SharedTraced(AnyProgram program, LevelSchedule& schedule, double apart = 10) {
  double traced = 0, all = 0, time = 0;
  LevelSchedule::Step step = schedule.First();
  while (time < 310) {
    const double seconds = static_cast<double>(step.ns) / 1e9;
    time += seconds;
    if (time > apart) {
      all += seconds;
      if (step.level == kLevelRecords) traced += seconds;
    }
    step = schedule.Next(program.Run(step));
  }
  return traced / all;
}

}  // namespace

TEST_CASE("records are on for as much of the time as the budget allows") {
  LevelSchedule schedule(50, 1);
  // 5 % allowed, 0.5 % taken by the callbacks and 2.5 % by what else is on; records take 10 %.
  CHECK(SharedTraced(Program{}, schedule) == Approx(0.2).margin(0.04));
  CHECK(schedule.LikelyCost() == Approx(0.1).margin(0.02));
  LevelSchedule large(300, 1);
  CHECK(SharedTraced(Program{}, large) > 0.85);
  LevelSchedule dear(50, 1);
  Program expensive;
  expensive.cost = 1;
  CHECK(SharedTraced(expensive, dear) < 0.06);
}

TEST_CASE("how fast a program launches from moment to moment says nothing about records") {
  LevelSchedule steady(50, 1), unsteady(50, 1);
  Program quiet, noisy;
  quiet.wander = 0.01;
  noisy.wander = 0.6;
  CHECK(SharedTraced(quiet, steady) == Approx(SharedTraced(noisy, unsteady)).margin(0.06));
}

TEST_CASE("until it is known what records cost they are taken for dear") {
  LevelSchedule schedule(50, 1);
  Program program;
  program.known = false;
  // 4 us of each of 40,000 launches a second: 16 %.
  CHECK(SharedTraced(program, schedule) == Approx(0.125).margin(0.04));
}

TEST_CASE("where CUPTI comes for records it comes seldom, and stays for longer") {
  LevelSchedule schedule(50, 1), less(10, 1);
  schedule.SetLeaves(true);
  less.SetLeaves(true);
  Program program;
  const auto lengths = [&](LevelSchedule& of) {
    double sum[2] = {}, count[2] = {};
    LevelSchedule::Step step = of.First();
    for (int i = 0; i < 400; ++i) {
      step = of.Next(program.Run(step));
      sum[step.level == kLevelRecords] += static_cast<double>(step.ns) / 1e9;
      count[step.level == kLevelRecords] += 1;
    }
    return std::pair(sum[0] / count[0], sum[1] / count[1]);
  };
  const auto [plain, traced] = lengths(schedule);
  CHECK(traced == Approx(0.5).margin(0.05));
  CHECK(plain > 1.8);
  // Threads that launch wait 10 ms for it: a tenth of the budget.
  CHECK(lengths(less).first > 9);
}

TEST_CASE("records stay on where they cost nothing or must") {
  LevelSchedule none(0, 1), busy(50, 1), slow(50, 1);
  CHECK(SharedTraced(Program{}, none) == 1);
  Program limited_by_gpu;
  limited_by_gpu.busy = 0.98;
  CHECK(SharedTraced(limited_by_gpu, busy) == 1);
  Program few_launches;
  few_launches.rate = 1500;
  CHECK(SharedTraced(few_launches, slow) == 1);
}

TEST_CASE("few launches of CUDA graphs are much work") {
  Program graphs;
  graphs.operations = 400;
  graphs.own = 0.002;
  graphs.busy = 0.97;  // its kernels stand close together
  // 5 % allowed, 2.5 % taken by what else is on; records take 30 %.
  graphs.cost = 0.3;
  for (const double rate : {100.0, 240.0}) {
    graphs.rate = rate;
    LevelSchedule schedule(50, 1);
    CHECK(SharedTraced(graphs, schedule, 60) == Approx(0.08).margin(0.05));
  }
}

// Such a program is slowed only when the launches before a window have run: its windows show no
// cost.
TEST_CASE("each operation of a graph has a price, whatever short windows show") {
  Program graphs;
  graphs.operations = 71;
  graphs.own = 0.002;
  graphs.busy = 0.97;
  graphs.cost = 0;
  for (const auto& [rate, share] : {std::pair{5000.0, 0.032}, {1000.0, 0.18}, {100.0, 1.0}}) {
    graphs.rate = rate;
    LevelSchedule schedule(50, 1);
    INFO(rate);
    // The first seconds count, too.
    CHECK(SharedTraced(graphs, schedule, 2) == Approx(share).margin(0.1 * share + 0.01));
  }
}

TEST_CASE("a program that comes to be limited by its GPU is traced in full from then on") {
  LevelSchedule schedule(50, 1);
  Program program;
  CHECK(SharedTraced(program, schedule) < 0.6);
  program.busy = 0.97;
  CHECK(SharedTraced(program, schedule) > 0.99);
}

TEST_CASE("a host that runs ahead of its GPU is not the limit") {
  for (const uint64_t seed : {1, 2, 3, 4}) {
    LevelSchedule bound(50, seed), idle(50, seed);
    CHECK(SharedTraced(Ahead{3.0}, bound, 3) > 0.995);
    for (const size_t most : {50, 400, 1000}) {
      LevelSchedule other(50, seed);
      INFO(most);
      CHECK(SharedTraced(Ahead{3.0, most}, other, 12) > 0.995);
      LevelSchedule full(50, seed);
      CHECK(SharedTraced(Ahead{3.0, most, false}, full, 12) > 0.995);
    }
    CHECK(SharedTraced(Ahead{0.5}, idle) < 0.95);
  }
}

TEST_CASE("many short operations are enough, though a window looks at the first of them only") {
  LevelSchedule schedule(50, 1);
  LevelSchedule::Step step = schedule.First();
  for (int i = 0; i < 6 && step.level == kLevelRecords; ++i)
    step =
        schedule.Next({step.level, step.ns, 2'000, 0, 0, {20'000'000, 60'000'000, 140'000, 2'000}});
  CHECK(step.level == kLevelLaunches);
}

TEST_CASE("pauses between bursts of work do not keep everything on") {
  LevelSchedule schedule(50, 1);
  Program program;
  LevelSchedule::Step step = schedule.First();
  int windows = 0;
  for (; step.level == kLevelRecords && windows < 40; ++windows) {
    program.rate = windows % 2 == 0 ? 40'000 : 0;
    step = schedule.Next(program.Run(step));
  }
  CHECK(step.level == kLevelLaunches);
  CHECK(windows < 10);
}

TEST_CASE("all is traced until the program has warmed up") {
  LevelSchedule schedule(50, 1);
  LevelSchedule::Step step = schedule.First();
  uint64_t launches = 0;
  while (launches + 100 < 5000) {
    CHECK(step.level == kLevelRecords);
    step = schedule.Next({step.level, 1'000'000, 100, 0, 0, {100'000, 1'000'000, 100, 100}});
    launches += 100;
  }
}

TEST_CASE("lengths of windows vary, so that they do not fall into step with the program") {
  LevelSchedule schedule(50, 3);
  Program program;
  double sum = 0, squares = 0;
  int windows = 0;
  LevelSchedule::Step step = schedule.First();
  for (int i = 0; i < 2000; ++i) {
    step = schedule.Next(program.Run(step));
    if (step.level != kLevelLaunches) continue;
    const double ms = static_cast<double>(step.ns) / 1e6;
    sum += ms;
    squares += ms * ms;
    ++windows;
  }
  const double mean = sum / windows;
  CHECK(std::sqrt(squares / windows - mean * mean) > 0.2 * mean);
}

TEST_CASE("busyness counts overlapping kernels once") {
  BusyMeter meter;
  CHECK(meter.Recent().busy_ns == 0);
  meter.Begin(0);
  meter.Add(1, 1'000'000, 11'000'000);
  meter.Add(2, 2'000'000, 6'000'000);
  meter.Add(3, 6'000'000, 16'000'000);
  meter.Add(4, 0, 0);  // without times
  meter.Add(5, 26'000'000, 31'000'000);
  CHECK(meter.Recent().busy_ns == 20'000'000);
  CHECK(meter.Recent().span_ns == 30'000'000);
}

TEST_CASE("records that come thread by thread are put in order") {
  BusyMeter meter;
  meter.Begin(0);
  for (const uint64_t thread : {0, 1, 2}) {
    for (uint64_t i = 0; i < 100; ++i) {
      const uint64_t start = 1'000'000 + (3 * i + thread) * 1'000;
      meter.Add(1, start, start + 1'000);
    }
  }
  CHECK(meter.Recent().busy_ns == 300'000);
  CHECK(meter.Recent().span_ns == 300'000);
}

TEST_CASE("work is put to the window that launched it, however late it runs") {
  BusyMeter meter;
  meter.Begin(10);
  meter.End(1, 2);
  meter.Begin(20);
  meter.End(1, 2);
  meter.Begin(30);
  meter.Add(9, 1, 2);  // launched before all of them
  meter.Add(21, 11'000, 12'000);
  meter.Add(11, 1'000, 2'000);
  meter.Add(12, 4'000, 5'000);
  meter.Add(22, 19'000, 20'000);
  const BusyMeter::Work work = meter.Recent();
  CHECK(work.busy_ns == 4'000);
  CHECK(work.span_ns == 4'000 + 9'000);  // not the time between the windows
  CHECK(work.operations == 4);
  CHECK(work.launches == 4);
}

TEST_CASE("windows with little work tell nothing, and old ones are forgotten") {
  BusyMeter meter;
  meter.Begin(0);
  meter.End(1'000'000'000, 10);
  for (uint32_t i = 1; i <= 10; ++i) meter.Add(i, i * 1000, i * 1000 + 1);
  CHECK(meter.Recent().span_ns == 0);
  for (uint32_t window = 1; window <= 5; ++window) {
    meter.Begin(100 * window);
    meter.End(1'000'000, 100);
    for (uint32_t i = 1; i <= 100; ++i) {
      const uint64_t start = (100 * window + i) * 2'000'000;
      meter.Add(100 * window + i, start, start + 1'000'000);
    }
  }
  CHECK(meter.Recent().operations == 300);  // 199 ms each: enough
}

TEST_CASE("after a pause it goes on with what it has learned") {
  LevelSchedule schedule(50, 1);
  SharedTraced(Program{}, schedule);
  const double cost = schedule.LikelyCost();
  int plain = 0;
  for (int i = 0; i < 100; ++i) {
    const LevelSchedule::Step first = schedule.First();
    plain += first.level == kLevelLaunches ? 1 : 0;
    CHECK(first.ns < (first.level == kLevelLaunches ? 2'000'000'000 : 200'000'000));
  }
  // As often as in the middle of the run: records are on for 18 % of the time.
  CHECK(plain > 60);
  CHECK(schedule.LikelyCost() == cost);
  CHECK(LevelSchedule(50, 1).First().level == kLevelRecords);
}
