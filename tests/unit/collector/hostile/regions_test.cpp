// What a hostile process of a recording writes into its shared memory. Each test is an attack that
// worked once.
#include <signal.h>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "samplers/collector/drain/region_owner.h"
#include "samplers/collector/drain/wall.h"
#include "samplers/wire/facts.h"
#include "tests/unit/collector/hostile/bench.h"

namespace gprofx {
namespace {

using test::Bench;
using test::FakeAgent;
using test::Play;
using test::Turns;
using test::Wait;

// A process that has nothing to do with the recording, and knows whether it got the signal.
pid_t Bystander(const Turns& turns) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  sigset_t urgent;
  sigemptyset(&urgent);
  sigaddset(&urgent, wire::kAskSignal);
  sigprocmask(SIG_BLOCK, &urgent, nullptr);
  signal(wire::kAskSignal, [](int) {});
  turns.ChildIsReady();
  sigset_t pending;
  sigpending(&pending);
  _exit(sigismember(&pending, wire::kAskSignal) ? 1 : 0);
}

TEST_CASE("A process that a region names without being its own gets no signal") {
  Bench bench(true);
  const Turns of_bystander, of_liar;
  const pid_t bystander = Bystander(of_bystander);
  of_bystander.WaitForChild();
  const pid_t liar = Play(bench.session, [&](FakeAgent& agent) {
    agent.writer->Begin(bystander, getppid(), "/bin/fake", std::string("fake\0", 5));
    agent.writer->BeginThread(0, bystander, "fake");
    agent.MakeReady();
    of_liar.ChildIsReady();
  });
  of_liar.WaitForChild();
  WallSampler wall(1'000'000);
  for (int i = 0; i < 50; ++i) {
    bench.table.Poll(bench.rows);
    wall.Tick(bench.table, bench.session.Now(), bench.rows);
    usleep(2000);
  }
  CHECK(bench.table.unconfirmed() == 1);
  CHECK(bench.table.AlivePids().empty());
  CHECK(bench.profile.processes.size() == 1);  // what it wrote is junk, but it is there
  of_liar.LetChildGoOn();
  Wait(liar);
  of_bystander.LetChildGoOn();
  Wait(bystander);
}

TEST_CASE("A region that names a process which is recorded already does not end that") {
  Bench bench;
  const Turns of_honest, of_liar;
  const pid_t honest = Play(bench.session, [&](FakeAgent& agent) {
    agent.Ready();
    agent.writer->BeginThread(0, getpid(), "fake");
    of_honest.ChildIsReady();
  });
  of_honest.WaitForChild();
  bench.table.Poll(bench.rows);
  const pid_t liar = Play(bench.session, [&](FakeAgent& agent) {
    agent.writer->Begin(honest, getppid(), "/bin/fake", std::string("fake\0", 5));
    agent.MakeReady();
    of_liar.ChildIsReady();
  });
  of_liar.WaitForChild();
  bench.table.Poll(bench.rows);
  CHECK(bench.table.live().size() == 1);
  CHECK(bench.table.live()[0]->is_confirmed());
  CHECK(bench.session.RegionStateOf(0) == wire::kRegionReady);
  for (const auto& [pid, turns] : {std::pair{liar, &of_liar}, {honest, &of_honest}}) {
    turns->LetChildGoOn();
    Wait(pid);
  }
}

TEST_CASE("Heads that jump cost a bounded number of rows in each look") {
  Bench bench;
  constexpr uint32_t kRings = 384;
  const Turns turns;
  constexpr int kLooks = 4;
  const pid_t pid = Play(bench.session, [&](FakeAgent& agent) {
    agent.Ready();
    for (uint32_t slot = 0; slot < kRings; ++slot) agent.writer->BeginThread(slot, 100, "fake");
    for (int look = 0; look < kLooks; ++look) {
      for (uint32_t slot = 0; slot < kRings; ++slot) {
        agent.writer->ring(slot).grown = 1;
        agent.writer->ring(slot).head += wire::kMaxRingEntries;
      }
      turns.ChildIsReady();
    }
  });
  for (int look = 0; look < kLooks; ++look) {
    turns.WaitForChild();
    bench.rows.clear();
    bench.table.Poll(bench.rows);
    CHECK(bench.rows.size() <= size_t{1} << 18);
    CHECK(bench.rows.size() >= size_t{1} << 13);
    turns.LetChildGoOn();
  }
  Wait(pid);
}

TEST_CASE("Entries that one look leaves are read by the next ones, and none is lost") {
  Bench bench;
  constexpr uint32_t kRings = 24;
  const pid_t pid = Play(bench.session, [](FakeAgent& agent) {
    agent.Ready();
    for (uint32_t slot = 0; slot < kRings; ++slot) {
      agent.writer->BeginThread(slot, static_cast<int32_t>(100 + slot), "fake");
      agent.writer->ring(slot).grown = 1;
      for (uint32_t i = 0; i < wire::kMaxRingEntries; ++i) agent.writer->Push(slot, 5000, 0, 1);
      agent.writer->EndThread(slot, 6000);
    }
  });
  Wait(pid);
  size_t count = 0;
  for (int i = 0; i < 10; ++i) count += bench.table.Poll(bench.rows);
  CHECK(count == size_t{kRings} * wire::kMaxRingEntries);
  CHECK(bench.table.live().empty());
}

TEST_CASE("Threads that a process makes up are opened a few at a time") {
  Bench bench;
  const Turns turns;
  const pid_t pid = Play(bench.session, [&](FakeAgent& agent) {
    agent.writer->Begin(getpid(), getppid(), "/bin/fake", std::string("fake\0", 5));
    agent.writer->header().pid = 1;  // in a PID namespace, it says
    for (uint32_t slot = 0; slot < wire::kMaxThreads; ++slot) {
      agent.writer->BeginThread(slot, static_cast<int32_t>(100'000 + slot), "x");
    }
    agent.MakeReady();
    turns.ChildIsReady();
  });
  turns.WaitForChild();
  bench.table.Poll(bench.rows);
  const size_t first = bench.profile.threads.size();
  CHECK(first > 0);
  CHECK(first <= 512);
  for (int i = 0; i < 10; ++i) bench.table.Poll(bench.rows);
  CHECK(bench.profile.threads.size() == wire::kMaxThreads);
  turns.LetChildGoOn();
  Wait(pid);
}

TEST_CASE("A mapping confirms a region, a name does not") {
  constexpr std::string_view kMaps =
      "55d0c8a0e000-55d0c8a10000 r--p 00000000 fe:01 12 /usr/bin/cat\n"
      "7f0000000000-7f0000020000 rw-s 00000000 00:01 2075 /memfd:gprof-x (deleted)\n"
      "7f0010000000-7f0011020000 rw-s 12340000 00:01 2075 /memfd:gprof-x (deleted)\n"
      "7f0020000000-7f0021000000 r--p 00000000 fe:01 13 /tmp/ 56780000 00:01 2075 x\n"
      "7ffd0c0f0000-7ffd0c111000 rw-p 00000000 00:00 0                          [stack]\n";
  const auto has = [&](uint64_t device, uint64_t inode, uint64_t offset) {
    return HasMapped(kMaps, {device, inode, offset});
  };
  CHECK(has(1, 2075, 0x12340000));
  CHECK_FALSE(has(1, 2075, 0x2340000));
  CHECK_FALSE(has(1, 207, 0x12340000));
  CHECK_FALSE(has(2, 2075, 0x12340000));
  CHECK_FALSE(has(1, 2075, 0x56780000));
  CHECK(has(1, 2075, 0x12340000 + 0x1000000));  // merged with what lies before it
  CHECK_FALSE(has(1, 2075, 0x12340000 + 0x1020000));
  CHECK_FALSE(HasMapped("", {1, 2075, 0}));
}

TEST_CASE("Facts that no collector writes are no recording's") {
  wire::SessionFacts facts{};
  facts.magic = wire::kMagic;
  facts.version = wire::kVersion;
  facts.control_bytes = wire::kControlBytes;
  facts.region_bytes = wire::kRegionBytes;
  facts.collector_pid = 1;
  facts.plan.nominal_period_ns = facts.plan.posix_period_ns = facts.plan.tick_ns = 4'000'000;
  const auto with = [&facts](auto change) {
    wire::SessionFacts changed = facts;
    change(changed);
    return wire::FactsAreUsable(changed);
  };
  CHECK(wire::FactsAreUsable(facts));
  CHECK_FALSE(with([](auto& f) { f.plan.posix_period_ns = 1; }));
  CHECK_FALSE(with([](auto& f) { f.plan.posix_period_ns = UINT64_MAX; }));
  CHECK_FALSE(with([](auto& f) { f.plan.tick_ns = 0; }));
  CHECK_FALSE(with([](auto& f) { f.plan.use_perf = 1; }));
  CHECK_FALSE(with([](auto& f) { f.plan.nominal_period_ns = 0; }));
  CHECK_FALSE(with([](auto& f) { f.start_ns = INT64_MIN; }));
  CHECK_FALSE(with([](auto& f) { f.gpu.mode = 99; }));
  CHECK_FALSE(with([](auto& f) { f.collector_pid = -1; }));
  CHECK(with([](auto& f) { f.plan.wall_clock = 1, f.plan.posix_period_ns = 0; }));
  CHECK(wire::BoundedPeriods(0) == 1);
  CHECK(wire::BoundedPeriods(UINT32_MAX) == wire::kMaxPeriodsOfSample);
}

}  // namespace
}  // namespace gprofx
