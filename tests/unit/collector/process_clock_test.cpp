#include "samplers/collector/processes/process_clock.h"

#include <catch2/catch.hpp>
#include <map>
#include <optional>

#include "core/model/processes.h"
#include "tests/unit/collector/fake_region.h"

namespace gprofx {
namespace {

constexpr HostNs kNow = 1'000'000'000;
constexpr int64_t kTick = 4'000'000;

// One program of a process: its region, its drain.
struct Program {
  Program(Profile& profile, ModuleTable& modules, const Metrics& metrics, ProcessClocks& clocks,
          int64_t pid, HostNs start) {
    region.Begin(pid, 1, "/bin/prog", std::string("prog\0", 5));
    Process row{pid, 1};
    row.start = start;
    row.name = profile.Intern("prog");
    profile.processes.push_back(row);
    id = ProcessId{static_cast<uint32_t>(profile.processes.size())};
    drain.emplace(profile, modules, metrics, region.View(), id, false);
    drain->SetRest(&clocks.short_threads(), &clocks.window());
    module = region.AddModule("/lib/libx.so", 0xab);
    region.BeginThread(0, static_cast<int32_t>(pid), "main");
  }
  test::FakeRegion region;
  std::optional<ProcessDrain> drain;
  ProcessId id;
  uint32_t module = 0;
};

struct Bench {
  Bench()
      : modules(profile),
        metrics(AddMetrics(profile, false)),
        clocks(profile, metrics, false, kTick) {}

  using User = ProcessClocks::User;
  void End(Program& program, HostNs end, User user = User::kOwn) {
    const auto ended = [](uint32_t, uint32_t) { return false; };
    program.drain->Drain(kNow, rows, ended);
    program.drain->Close(end, rows, ended);
    profile.processes[program.id.index()].end = end;
    clocks.ProgramEnded(*program.drain, user, end, rows);
    drained += program.drain->accounted_ns();
  }
  void Reap(int64_t pid, int64_t from, int64_t ns) {
    clocks.Take({wire::kNoteReaped, pid, from, ns, kNow}, rows);
  }
  // Time by the name of the outermost frame; "stack" for a real one.
  std::map<std::string, int64_t> Times() {
    std::map<std::string, int64_t> times;
    for (const Value& value : profile.values) {
      if (value.metric != metrics.time) continue;
      const Frame& frame = profile.frame(profile.node(value.node).frame);
      const bool process = frame.kind == FrameKind::kProcess;
      times[process ? std::string(profile.Text(profile.function(frame.function).name)) : "stack"] +=
          value.self;
    }
    return times;
  }
  int64_t Measured() const {
    int64_t sum = 0;
    for (const Thread& thread : profile.threads) sum += thread.cpu_ns;
    return sum;
  }

  Profile profile;
  ModuleTable modules;
  Metrics metrics;
  ProcessClocks clocks;
  std::vector<SampleRow> rows;
  int64_t drained = 0;
};

using Times = std::map<std::string, int64_t>;

TEST_CASE("The clock of a process is given out in full") {
  Bench bench;
  Program program(bench.profile, bench.modules, bench.metrics, bench.clocks, 100, 10);
  auto& region = program.region;
  region.header().start_cpu_ns = 700;
  region.header().counters[wire::kOwnCpuNs] = 50;
  region.ring(0).start_cpu_ns = region.ring(0).last_cpu_ns = 750;
  region.Push(0, 5000, region.AddNode(0, wire::MakeNative(program.module, 0x10)), 1000);
  region.ring(0).last_cpu_ns += 200;             // since the sample
  region.header().end_cpu_ns = 750 + 1200 + 30;  // 30 of threads that have no ring
  region.header().children_cpu_ns = 5000;
  bench.End(program, 9000);
  bench.Reap(100, 1, 750 + 1200 + 30 + 90 + 5000);
  bench.clocks.Finish(bench.rows);
  CHECK(bench.Times() == Times{{"[exec and loading]", 700},
                               {"[gprof-x]", 50},
                               {"stack", 1200},
                               {"[outside of sampled threads]", 30},
                               {"[exit]", 90}});
  CHECK(bench.Measured() == 2070);
  CHECK(bench.drained + bench.clocks.accounted_ns() == 2070);
  int64_t timeline = 0;
  for (const SampleRow& row : bench.rows) timeline += row.weight;
  CHECK(timeline == 2070);
}

TEST_CASE("A process that became another program is one process with two programs") {
  Bench bench;
  Program shell(bench.profile, bench.modules, bench.metrics, bench.clocks, 100, 10);
  shell.region.header().forked = 1;
  shell.region.header().start_cpu_ns = 40;
  shell.region.header().end_cpu_ns = 40 + 60;
  shell.region.ring(0).start_cpu_ns = 40;
  shell.region.ring(0).last_cpu_ns = 100;
  bench.End(shell, 500);
  Program next(bench.profile, bench.modules, bench.metrics, bench.clocks, 100, 500);
  next.region.header().start_cpu_ns = 900;
  next.region.ring(0).start_cpu_ns = 900;
  next.region.ring(0).last_cpu_ns = 1000;
  next.region.header().end_cpu_ns = 1000;
  bench.End(next, 900);
  bench.Reap(100, 1, 1010);
  bench.clocks.Finish(bench.rows);
  CHECK(bench.Times() == Times{{"[fork]", 40},
                               {"[exec and loading]", 800},
                               {"[too short to be sampled]", 160},
                               {"[exit]", 10}});
  CHECK(bench.Measured() == 1010);
  CHECK(CountProcesses(bench.profile) == 1);
  CHECK(LastPrograms(bench.profile) == std::vector<ProcessId>{ProcessId{2}, ProcessId{2}});
}

TEST_CASE("A fork child without a region becomes a process of its parent's program") {
  Bench bench;
  Program parent(bench.profile, bench.modules, bench.metrics, bench.clocks, 100, 10);
  bench.clocks.Take({wire::kNoteForked, 200, 100, 30, 2000}, bench.rows);
  bench.clocks.Take({wire::kNoteEnd, 200, 0, 530, 3000}, bench.rows);
  bench.Reap(200, 100, 600);
  bench.clocks.Finish(bench.rows);
  CHECK(bench.Times() == Times{{"[fork]", 30}, {"[exit]", 70}, {"[too short to be sampled]", 500}});
  const Process& child = bench.profile.processes.at(1);
  CHECK((child.pid == 200 && child.parent_pid == 100 && child.start == 2000));
  CHECK(bench.profile.Text(child.name) == "prog");
  CHECK(bench.Measured() == 600);
}

TEST_CASE("A fork's note that comes after its region is no second process") {
  Bench bench;
  Program child(bench.profile, bench.modules, bench.metrics, bench.clocks, 200, 2000);
  child.region.header().forked = 1;
  child.region.header().end_cpu_ns = 500;
  child.region.ring(0).last_cpu_ns = 500;
  bench.End(child, 3000);
  bench.clocks.Take({wire::kNoteForked, 200, 100, 30, 2000}, bench.rows);
  bench.Reap(200, 100, 520);
  bench.clocks.Finish(bench.rows);
  CHECK(bench.profile.processes.size() == 1);
  CHECK(bench.Measured() == 520);
  // The number is used again, by a child that has no region.
  bench.clocks.Take({wire::kNoteForked, 200, 100, 30, 5000}, bench.rows);
  bench.Reap(200, 100, 40);
  CHECK(bench.profile.processes.size() == 2);
}

TEST_CASE("Processes of which only their parent tells were not sampled") {
  Bench bench;
  bench.Reap(300, 100, 7000);
  bench.clocks.Take({wire::kNoteForked, 301, 100, 10, 2000}, bench.rows);
  bench.clocks.Take({wire::kNoteExec, 301, 0, 20, 2100}, bench.rows);
  bench.Reap(301, 100, 1000);
  bench.clocks.Take({wire::kNoteForked, 302, 100, 10, 2000}, bench.rows);
  bench.Reap(302, 100, 1000 * kTick);  // no fork child runs so long without a tick
  CHECK(bench.clocks.unsampled_processes() == 3);
  CHECK(bench.clocks.unsampled_ns() == 7000 + 1000 + 1000 * kTick);
  CHECK(bench.profile.processes.empty());
}

TEST_CASE("Another user's process takes nothing out of what others used") {
  for (const auto user : {ProcessClocks::User::kOwn, ProcessClocks::User::kOther}) {
    Bench bench;
    for (const int64_t parent : {300, 77}) {  // of one that is not sampled, or of nobody
      Program program(bench.profile, bench.modules, bench.metrics, bench.clocks, parent + 1, 10);
      Process& row = bench.profile.processes.back();
      row.parent_pid = parent;
      bench.clocks.Appears(row, user);
      program.region.header().end_cpu_ns = 400;
      bench.End(program, 2000, user);
    }
    bench.Reap(300, 1, 1000);
    CHECK(bench.clocks.unsampled_ns() == (user == ProcessClocks::User::kOwn ? 200 : 1000));
  }
}

TEST_CASE("A killed process counts at its latest stack what its parent learned") {
  Bench bench;
  Program program(bench.profile, bench.modules, bench.metrics, bench.clocks, 100, 10);
  auto& region = program.region;
  region.Push(0, 5000, region.AddNode(0, wire::MakeNative(program.module, 0x10)), 1000);
  bench.End(program, 9000);
  bench.Reap(100, 1, 1500);
  CHECK(bench.Times() == Times{{"stack", 1500}});
  CHECK(bench.Measured() == 1500);
}

TEST_CASE("What happens outside of the window is not counted") {
  Bench bench;
  bench.clocks.window() = {100'000, 200'000};
  Program program(bench.profile, bench.modules, bench.metrics, bench.clocks, 100, 10);
  program.region.header().start_cpu_ns = 700;
  program.region.ring(0).start_cpu_ns = 700;
  program.region.ring(0).last_cpu_ns = 10'700;
  program.region.ring(0).paused_ns = 4000;
  program.region.header().end_cpu_ns = 10'700;
  bench.End(program, 300'000);
  bench.Reap(100, 1, 10'900);
  bench.clocks.Finish(bench.rows);
  CHECK(bench.Measured() < 6000 / 2);
  CHECK(bench.Times() == Times{{"[too short to be sampled]", bench.Measured()}});
}

TEST_CASE("Clocks that a hostile target wrote do no harm") {
  Bench bench;
  for (const int64_t evil : {INT64_MIN, INT64_MAX, int64_t{-1}}) {
    Program program(bench.profile, bench.modules, bench.metrics, bench.clocks, 100, 10);
    program.region.header().start_cpu_ns = evil;
    program.region.header().end_cpu_ns = evil;
    program.region.header().children_cpu_ns = evil;
    program.region.header().counters[wire::kOwnCpuNs] = static_cast<uint64_t>(evil);
    program.region.ring(0).paused_ns = static_cast<uint64_t>(evil);
    program.region.ring(0).last_cpu_ns = evil;
    bench.End(program, 9000);
    bench.Reap(100, 100, evil);
  }
  bench.clocks.Finish(bench.rows);
  for (const Thread& thread : bench.profile.threads) CHECK(thread.cpu_ns >= 0);
}

}  // namespace
}  // namespace gprofx
