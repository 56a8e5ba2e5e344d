// Known effects in made-up recordings: they are found, and nothing else is.
#include <catch2/catch.hpp>
#include <set>

#include "synthetic.h"

using namespace gprofx;
using namespace gprofx::variability;

namespace {

double Same(int, int) { return 1; }

Options ByTime(uint32_t shards) { return {Axis::kTime, shards}; }

bool IsMentioned(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

// Ranks with an all-reduce at the end of each step; `work(rank, step)` is what each computes
// before, `sleep(rank, step)` how long its host sleeps.
template <class Work, class Sleep>
Recordings Job(int ranks, int steps, Work work, Sleep sleep) {
  Recordings job;
  std::vector<int64_t> now(static_cast<size_t>(ranks), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    Recording& recording = job["rank" + std::to_string(rank)];
    recording.facts.rank = rank;
    recording.facts.clock_zero = 5'000'000'000;
    recording.Group("gemm");
    recording.Group("ncclDevKernel_AllReduce_Sum_f32_RING_LL", Kind::kCollective);
  }
  for (int step = 0; step < steps; ++step) {
    int64_t last = 0;
    std::vector<int64_t> arrival;
    for (int rank = 0; rank < ranks; ++rank) {
      Recording& recording = job["rank" + std::to_string(rank)];
      const int64_t ns = work(rank, step);
      int64_t& at = now[static_cast<size_t>(rank)];
      recording.Add(0, at, ns);
      at += ns + sleep(rank, step);
      arrival.push_back(at);
      last = std::max(last, at);
    }
    for (int rank = 0; rank < ranks; ++rank) {
      Recording& recording = job["rank" + std::to_string(rank)];
      const int64_t begin = arrival[static_cast<size_t>(rank)];
      recording.Add(1, begin, last + 50'000 - begin, 2);
      now[static_cast<size_t>(rank)] = last + 50'000;
    }
  }
  return job;
}

}  // namespace

TEST_CASE("nothing is found where nothing differs") {
  int found = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Model model = ModelOf({{"a", Steady(seed, 400, 12, 0.03, Same)}}, ByTime(10));
    found += model.findings.empty() ? 0 : 1;
  }
  CHECK(found <= 5);
}

TEST_CASE("three slow shards of one group are named first") {
  int right = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::set<uint32_t> slow = {1, 4, 8};
    const auto factor = [&](int step, int group) {
      return group == 5 && slow.contains(static_cast<uint32_t>(step / 40)) ? 1.5 : 1.0;
    };
    const Model model = ModelOf({{"a", Steady(seed, 400, 12, 0.03, factor)}}, ByTime(10));
    std::set<uint32_t> named;
    bool one_group = model.findings.size() >= 3;
    for (size_t i = 0; one_group && i < 3; ++i) {
      const Finding& finding = model.findings[i];
      one_group = finding.group && model.groups[*finding.group].key.name == "kernel5";
      named.insert(finding.shard);
    }
    right += one_group && named == slow ? 1 : 0;
  }
  CHECK(right >= 95);
}

TEST_CASE("spreads are estimated within 2 %") {
  const Model model = ModelOf({{"a", Steady(3, 100'000, 3, 0.05, Same)}}, ByTime(10));
  REQUIRE(model.groups.size() == 3);
  for (const GroupRow& row : model.groups) {
    const double median = 20'000 * (1 + std::stoi(row.key.name.substr(6)));
    CHECK(row.n == 100'000);
    CHECK(row.median == Approx(median).epsilon(0.002));
    // Of a normal distribution: quartiles at 0.6745 deviations.
    CHECK(row.relative_iqr == Approx(2 * std::sinh(0.6745 * 0.05)).epsilon(0.02));
    CHECK(row.p95 / median == Approx(std::exp(1.645 * 0.05)).epsilon(0.002));
    CHECK(std::abs(row.trend) < 0.002);
    CHECK(std::abs(row.lag1) < 0.02);
  }
}

TEST_CASE("what slows all kernels of a shard is told once, as common") {
  const Model model = ModelOf(
      {{"a", Steady(1, 400, 12, 0.02, [](int step, int) { return step / 40 == 6 ? 1.2 : 1.0; })}},
      ByTime(10));
  REQUIRE_FALSE(model.findings.empty());
  CHECK_FALSE(model.findings[0].group);
  CHECK(model.findings[0].why.cause == Cause::kCommon);
  CHECK(model.findings[0].ratio == Approx(1.2).epsilon(0.03));
}

TEST_CASE("a drift is a trend") {
  const Model model = ModelOf(
      {{"a", Steady(1, 2000, 2, 0.02, [](int step, int) { return 1 + 0.2 * step / 2000; })}},
      ByTime(10));
  for (const GroupRow& row : model.groups) CHECK(row.trend == Approx(0.2).epsilon(0.15));
}

TEST_CASE("a copy beside kernels is found as what it costs, and explains the shard") {
  Recording recording = Steady(5, 400, 6, 0.02, Same);
  recording.events.clear();
  const uint32_t copy = recording.Group("copy host to device, pinned", Kind::kCopy);
  std::mt19937_64 random(9);
  std::normal_distribution<double> noise(0, 0.02);
  int64_t now = 0;
  for (int step = 0; step < 400; ++step) {
    const bool beside = step / 40 == 3 || (step % 8 == 0);
    for (uint32_t g = 0; g < 6; ++g) {
      const auto ns = static_cast<int64_t>(30'000 * std::exp(noise(random)) * (beside ? 1.3 : 1));
      if (beside) recording.Add(copy, now - 100, ns + 50, 7);
      recording.Add(g, now, ns);
      now += ns + 2'000;
    }
  }
  const Model model = ModelOf({{"a", recording}}, ByTime(10));
  REQUIRE(model.effects.size() >= 6);
  for (size_t i = 0; i < 6; ++i) {
    CHECK(model.effects[i].is_finding);
    CHECK(model.effects[i].beside == Beside::kCopy);
    CHECK(model.effects[i].low <= 1.31);
    CHECK(model.effects[i].high >= 1.29);
  }
  REQUIRE_FALSE(model.findings.empty());
  CHECK(model.findings[0].shard == 3);
  CHECK(model.findings[0].why.cause == Cause::kBeside);
  CHECK(model.findings[0].why.beside == Beside::kCopy);
}

TEST_CASE("two kinds of work on one grid are two groups, two speeds at two times are not") {
  Recording mixed, turned;
  for (Recording* recording : {&mixed, &turned}) {
    const uint32_t group = recording->Group("gemm");
    int64_t now = 0;
    for (int i = 0; i < 800; ++i) {
      const bool is_long = recording == &mixed ? i % 4 == 0 : i >= 600;
      const int64_t ns = (is_long ? 500'000 : 100'000) + i * 7 % 1000;
      recording->Add(group, now, ns);
      now += ns + 3'000;
    }
  }
  const Model two = ModelOf({{"a", mixed}}, ByTime(8));
  REQUIRE(two.groups.size() == 2);
  CHECK(two.groups[0].cluster + two.groups[1].cluster == 3);
  CHECK(two.findings.empty());
  const Model one = ModelOf({{"a", turned}}, ByTime(8));
  REQUIRE(one.groups.size() == 1);
  CHECK_FALSE(one.findings.empty());
}

TEST_CASE("the rank that comes late is named, and what it did before") {
  std::mt19937_64 random(1);
  const auto jitter = [&](int64_t ns) { return ns + static_cast<int64_t>(random() % 4'000); };
  const auto busy = [&](int rank, int) { return jitter(rank == 2 ? 1'300'000 : 1'000'000); };
  const auto even = [&](int, int) { return jitter(1'000'000); };
  const auto none = [](int, int) { return int64_t{0}; };
  const auto sleeps = [&](int rank, int) { return rank == 1 ? jitter(400'000) : 0; };
  const Model slow = ModelOf(Job(4, 100, busy, none), ByTime(5));
  REQUIRE(slow.late.size() == 4);
  CHECK(slow.late[0].is_finding);
  CHECK(slow.lanes[slow.late[0].lane].name == "rank 2");
  CHECK(slow.late[0].more_busy_ns == Approx(300'000).epsilon(0.05));
  CHECK_FALSE(slow.late[1].is_finding);
  const Model asleep = ModelOf(Job(4, 100, even, sleeps), ByTime(5));
  CHECK(asleep.late[0].is_finding);
  CHECK(asleep.lanes[asleep.late[0].lane].name == "rank 1");
  CHECK(asleep.late[0].more_idle_ns == Approx(400'000).epsilon(0.05));
  CHECK(asleep.waiting_ns > 100 * 3 * 390'000.0);
  // The long collectives of the others are no finding of their own.
  for (const Finding& finding : asleep.findings) {
    REQUIRE(finding.group);
    CHECK(asleep.groups[*finding.group].key.kind != Kind::kCollective);
  }
  const Model fair = ModelOf(Job(4, 100, even, none), ByTime(5));
  CHECK_FALSE(fair.late[0].is_finding);
}

TEST_CASE("a clock that is an hour off is brought back by collectives") {
  Recordings job = Job(
      2, 100, [](int, int step) { return int64_t{900'000 + step % 7 * 1000}; },
      [](int rank, int) { return int64_t{rank * 20'000}; });
  job["rank1"].facts.clock_zero = 5'000'000'000 + 3'600'000'000'000;
  const Model model = ModelOf(job, ByTime(4));
  REQUIRE(model.clocks.size() == 1);
  CHECK(model.clocks[0].moved == -3'600'000'000'000);
  CHECK(model.clocks[0].residual == 0);
  CHECK(IsMentioned(model.notes, "3600.000000 s"));
  CHECK(model.late[0].collectives == 100);
  // Without collectives both begin together, and it is said.
  Recordings alone = {{"a", Steady(1, 50, 3, 0.01, Same)}, {"b", Steady(2, 50, 3, 0.01, Same)}};
  alone["a"].facts.clock_zero = 0;
  alone["b"].facts.clock_zero = 3'600'000'000'000;
  const Model shifted = ModelOf(alone, ByTime(4));
  CHECK(IsMentioned(shifted.notes, "begin together"));
  CHECK(shifted.end - shifted.begin < 1'000'000'000);
}

TEST_CASE("files that do not count have one line each, and the rest goes on") {
  Recordings files = {{"a", Steady(1, 100, 3, 0.01, Same)},
                      {"b", Steady(2, 100, 3, 0.01, Same)},
                      {"c", Steady(3, 100, 3, 0.01, Same)},
                      {"copy", Steady(1, 100, 3, 0.01, Same)},
                      {"empty", {}}};
  files["c"].error = "'c' is damaged";
  files["a"].facts.rank = 0;
  files["b"].facts.rank = 1;
  const Model model = ModelOf(files, ByTime(4));
  CHECK(model.partial);
  CHECK(model.files == 2);
  CHECK(model.kernels == 600);
  CHECK(model.problems.size() == 3);
  CHECK(IsMentioned(model.problems, "'c' is damaged"));
  CHECK(IsMentioned(model.problems, "'copy' contains the same events as 'a'"));
  CHECK(IsMentioned(model.problems, "'empty' contains no GPU work"));
  files["b"].facts.rank = 0;
  CHECK(IsMentioned(ModelOf(files, ByTime(4)).problems, "is rank 0, as is"));
}

TEST_CASE("kernels of different devices are different groups") {
  Recordings files = {{"a", Steady(1, 100, 3, 0.01, Same)}, {"b", Steady(2, 100, 3, 0.01, Same)}};
  for (GroupKey& key : files["a"].groups) key.device = "H100";
  for (GroupKey& key : files["b"].groups) key.device = "L4";
  const Model model = ModelOf(files, ByTime(4));
  CHECK(model.groups.size() == 6);
  CHECK(model.devices == std::vector<std::string>{"H100", "L4"});
  CHECK(IsMentioned(model.notes, "different models"));
}

TEST_CASE("the parts of a step are a partition, and their shares of its variance add up to 1") {
  Recording recording;
  const uint32_t kernel = recording.Group("k");
  const uint32_t copy = recording.Group("copy", Kind::kCopy);
  ProcessSteps steps;
  int64_t now = 0;
  for (int step = 0; step < 60; ++step) {
    const int64_t begin = now;
    recording.Add(kernel, now + 1'000, 50'000);
    recording.Add(copy, now + 41'000, 20'000, 2);  // half of it behind the kernel
    now += 71'000 + step % 5 * 10'000;             // the rest is idle, and varies
    steps.steps.push_back({begin, now});
  }
  recording.facts.processes.push_back(steps);
  const Model model = ModelOf({{"a", recording}});
  CHECK(model.axis == Axis::kStep);
  CHECK(model.steps.steps == 60);
  REQUIRE(model.steps.parts.size() == 4);
  double share = 0;
  for (const StepPart& part : model.steps.parts) share += part.share;
  CHECK(share == Approx(1));
  CHECK(model.steps.parts[0].median_ns == 50'000);
  CHECK(model.steps.parts[2].median_ns == 10'000);
  CHECK(model.steps.parts[3].share == Approx(1));
  for (const ShardRow& shard : model.shards) CHECK(shard.kernels == 1);
}

TEST_CASE("what varies in the steps of one rank is told apart from that of another") {
  // One rank's kernel takes longer at times, the other one's host leaves the GPU idle at times.
  const auto rank = [](int64_t number, int64_t more_kernel, int64_t more_idle) {
    Recording recording;
    const uint32_t kernel = recording.Group("kernel");
    ProcessSteps steps;
    int64_t now = 0;
    for (int step = 0; step < 60; ++step) {
      const int64_t begin = now, longer = step % 5;
      recording.Add(kernel, now + 1'000, 50'000 + longer * more_kernel);
      now += 71'000 + longer * (more_kernel + more_idle);
      steps.steps.push_back({begin, now});
    }
    recording.facts.processes.push_back(steps);
    recording.facts.rank = number;
    return recording;
  };
  const Model model = ModelOf({{"a", rank(0, 5'000, 0)}, {"b", rank(1, 0, 10'000)}});
  REQUIRE(model.steps.lanes.size() == 2);
  const LaneSteps& idle = model.steps.lanes[0];  // with the larger variance
  const LaneSteps& busy = model.steps.lanes[1];
  CHECK(model.lanes[idle.lane].name == "rank 1");
  CHECK(model.lanes[busy.lane].name == "rank 0");
  CHECK(idle.variance_ns2 == Approx(2 * 1e8));  // of 0, 1, 2, 3, 4 it is 2
  CHECK(busy.variance_ns2 == Approx(2 * 25e6));
  CHECK(idle.shares[3] == Approx(1));
  CHECK(busy.shares[0] == Approx(1));
  CHECK(busy.shares[3] == Approx(0).margin(1e-9));
  CHECK(model.steps.parts[3].share == Approx(0.8));  // 1e8 of 1.25e8
}

namespace {

// Steps of four kernels and a gap; `slow(step, group)` is a factor of the kernels, `gap(step)` what
// the host adds. What is known of each step is said by `told`.
template <class Slow, class Gap, class Told>
Recording Stepped(int count, Slow slow, Gap gap, Told told) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.01);
  Recording recording;
  for (int g = 0; g < 4; ++g) recording.Group("kernel" + std::to_string(g));
  ProcessSteps steps;
  ProcessEvidence evidence;
  int64_t now = 0;
  for (int step = 0; step < count; ++step) {
    const int64_t begin = now;
    for (uint32_t g = 0; g < 4; ++g) {
      const auto ns =
          static_cast<int64_t>(100'000 * std::exp(noise(random)) * slow(step, static_cast<int>(g)));
      recording.Add(g, now, ns);
      now += ns + 2'000;
    }
    now += 50'000 + static_cast<int64_t>(random() % 2'000) + gap(step);
    steps.steps.push_back({begin, now});
    std::array<int64_t, kWitnesses> row;
    row.fill(-1);
    told(step, row);
    evidence.steps.push_back(row);
  }
  recording.facts.processes.push_back(steps);
  recording.evidence.push_back(evidence);
  return recording;
}

void Nothing(int, std::array<int64_t, kWitnesses>&) {}
bool IsHit(int step) { return step % 40 >= 25; }  // pieces of 15 in 40

template <Witness witness>
void Tells(int step, std::array<int64_t, kWitnesses>& row) {
  row[static_cast<size_t>(witness)] = IsHit(step) ? 300'000 : 2'000;
}

}  // namespace

TEST_CASE("steps that take longer have the cause that accounts for it, and no other") {
  const auto same = [](int, int) { return 1.0; };
  const auto none = [](int) { return int64_t{0}; };
  const auto gap = [](int step) { return IsHit(step) ? int64_t{300'000} : int64_t{0}; };
  const auto check = [](const Recording& recording, StepCause cause) {
    const Model model = ModelOf({{"a", recording}});
    REQUIRE(model.causes.size() == 1);
    CHECK(model.causes[0].cause == cause);
    CHECK(model.causes[0].excess_ns == Approx(150 * 300'000.0).epsilon(0.05));
    CHECK(model.causes[0].low > 1.5);
    CHECK(model.unexplained.steps == 0);
  };
  check(Stepped(400, same, gap, Tells<Witness::kReady>), StepCause::kCpu);
  check(Stepped(400, same, gap, Tells<Witness::kLoader>), StepCause::kLoader);
  check(Stepped(400, same, gap, Tells<Witness::kAllocator>), StepCause::kAllocator);
  // The same steps where nothing tells why; where what is told is too little; where it is told of
  // steps that do not take longer.
  const Model untold = ModelOf({{"a", Stepped(400, same, gap, Nothing)}});
  CHECK(untold.causes.empty());
  CHECK(untold.unexplained.steps == 150);
  CHECK(untold.unexplained.part == "idle");
  const auto little = [](int step, std::array<int64_t, kWitnesses>& row) {
    row[static_cast<size_t>(Witness::kReady)] = IsHit(step) ? 60'000 : 0;
  };
  CHECK(ModelOf({{"a", Stepped(400, same, gap, little)}}).causes.empty());
  CHECK(ModelOf({{"a", Stepped(400, same, none, Tells<Witness::kReady>)}}).causes.empty());
}

TEST_CASE("what goes on beside steps that vary for nothing is no cause of them") {
  int named = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    std::exponential_distribution<double> more(1.0 / 30'000);
    const auto gap = [&](int) { return static_cast<int64_t>(more(random)); };
    const auto told = [&](int, std::array<int64_t, kWitnesses>& row) {
      for (int64_t& value : row) value = static_cast<int64_t>(more(random));
    };
    named += ModelOf({{"a", Stepped(
                                200, [](int, int) { return 1.0; }, gap, told)}})
                     .causes.empty()
                 ? 0
                 : 1;
  }
  CHECK(named <= 5);
}

TEST_CASE("who waits for a late rank has its cause: the rank, or what made it late") {
  std::mt19937_64 random(2);
  Recordings job = Job(
      2, 200, [&](int, int) { return 1'000'000 + static_cast<int64_t>(random() % 4'000); },
      [](int rank, int step) { return rank == 1 && IsHit(step) ? int64_t{600'000} : int64_t{0}; });
  for (auto& [name, recording] : job) {
    ProcessSteps steps;
    int64_t begin = 0;
    for (const Event& event : recording.events) {
      if (event.kind != Kind::kCollective) continue;
      steps.steps.push_back({begin, event.end()});
      begin = event.end();
    }
    recording.facts.processes.push_back(steps);
  }
  const Model late = ModelOf(job);
  REQUIRE(late.causes.size() == 1);
  CHECK(late.causes[0].cause == StepCause::kLateRank);
  CHECK(late.causes[0].steps == 2 * 75);
  REQUIRE(late.causes[0].lane);
  CHECK(late.lanes[*late.causes[0].lane].name == "rank 1");
  // The late one's data came late: that is the cause in the steps of both.
  for (auto& [name, recording] : job) {
    ProcessEvidence evidence;
    for (int step = 0; step < 200; ++step) {
      std::array<int64_t, kWitnesses> row;
      row.fill(-1);
      row[static_cast<size_t>(Witness::kLoader)] = name == "rank1" && IsHit(step) ? 600'000 : 0;
      evidence.steps.push_back(row);
    }
    recording.evidence = {evidence};
  }
  const Model loader = ModelOf(job);
  REQUIRE(loader.causes.size() == 1);
  CHECK(loader.causes[0].cause == StepCause::kLoader);
  CHECK(loader.causes[0].steps == 2 * 75);
}

// In some steps another stream copies, too: beside the step's own copy, which then takes twice as
// long, or before it on the same engine.
static Model WithCopies(bool before) {
  Recording recording;
  const uint32_t kernel = recording.Group("gemm");
  const uint32_t own = recording.Group("copy host to device", Kind::kCopy);
  const uint32_t other = recording.Group("copy of others", Kind::kCopy);
  std::mt19937_64 random(3);
  const auto some = [&] { return static_cast<int64_t>(random() % 4'000); };
  ProcessSteps steps;
  int64_t now = 0;
  for (int step = 0; step < 200; ++step) {
    const int64_t begin = now;
    for (int i = 0; before && IsHit(step) && i < 4; ++i, now += 205'000) {
      recording.Add(other, now, 200'000 + some(), 2);
    }
    const bool is_beside = !before && IsHit(step);
    const int64_t ns = (is_beside ? 800'000 : 400'000) + some();
    recording.Add(own, now, ns, 1);
    if (is_beside) recording.Add(other, now + 10'000, 790'000, 2);
    now += ns + 2'000;
    recording.Add(kernel, now, 500'000 + some(), 1);
    now += 510'000;
    steps.steps.push_back({begin, now});
  }
  recording.facts.processes.push_back(steps);
  return ModelOf({{"a", recording}});
}

TEST_CASE("copies that share the way take longer, and so do their steps") {
  const Model model = WithCopies(false);
  REQUIRE(model.causes.size() == 1);
  CHECK(model.causes[0].cause == StepCause::kCopy);
  CHECK(model.causes[0].excess_ns == Approx(75 * 400'000.0).epsilon(0.03));
  REQUIRE_FALSE(model.effects.empty());
  CHECK(model.effects[0].beside == Beside::kCopy);
  CHECK(model.groups[model.effects[0].group].key.name == "copy host to device");
}

TEST_CASE("work that waits for the copies of another stream on the same engine") {
  const Model model = WithCopies(true);
  REQUIRE(model.causes.size() == 1);
  CHECK(model.causes[0].cause == StepCause::kCopy);
  CHECK(model.causes[0].excess_ns == Approx(75 * 820'000.0).epsilon(0.03));
  CHECK(model.unexplained.steps == 0);
}

TEST_CASE("a GPU that is slower as a whole is told from a lower clock and from one slow kernel") {
  const auto none = [](int) { return int64_t{0}; };
  const auto all = [](int step, int) { return IsHit(step) ? 1.5 : 1.0; };
  const auto one = [](int step, int group) { return IsHit(step) && group == 1 ? 3.0 : 1.0; };
  const auto low = [](int step, std::array<int64_t, kWitnesses>& row) {
    row[static_cast<size_t>(Witness::kClock)] = IsHit(step) ? 1'320 : 1'980;
  };
  const auto steady = [](int, std::array<int64_t, kWitnesses>& row) {
    row[static_cast<size_t>(Witness::kClock)] = 1'980;
  };
  const Model clock = ModelOf({{"a", Stepped(400, all, none, low)}});
  REQUIRE(clock.causes.size() == 1);
  CHECK(clock.causes[0].cause == StepCause::kClock);
  CHECK(clock.causes[0].value == 1'320);
  CHECK(clock.causes[0].usual == 1'980);
  const Model shared = ModelOf({{"a", Stepped(400, all, none, steady)}});
  REQUIRE(shared.causes.size() == 1);
  CHECK(shared.causes[0].cause == StepCause::kAnotherProcess);
  const Model unknown = ModelOf({{"a", Stepped(400, all, none, Nothing)}});
  REQUIRE(unknown.causes.size() == 1);
  CHECK(unknown.causes[0].cause == StepCause::kWholeGpu);
  const Model single = ModelOf({{"a", Stepped(400, one, none, steady)}});
  CHECK(single.causes.empty());
  CHECK(single.unexplained.steps == 150);
  CHECK(single.unexplained.part == "compute");
}
