// From records of begins and ends to ranges.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "samplers/collector/markers/matcher.h"

namespace gprofx {
namespace {

struct Bench {
  Bench() {
    profile.processes.push_back({});
    for (const int32_t tid : {10, 11}) AddThread(tid, 0);
  }
  ThreadId AddThread(int32_t tid, HostNs start) {
    Thread thread;
    thread.process = ProcessId{1};
    thread.tid = tid;
    thread.start = start;
    profile.threads.push_back(thread);
    const ThreadId id{static_cast<uint32_t>(profile.threads.size())};
    matcher.AddThread(tid, id);
    return id;
  }
  void Push(int64_t time, std::string_view name, uint16_t depth, int32_t tid = 10,
            uint32_t domain = 0) {
    Take({wire::kMarkerPush, depth, time, 0, tid, domain, name, domain == 0 ? "" : "d"});
  }
  void Pop(int64_t time, uint16_t depth, int32_t tid = 10, uint32_t domain = 0) {
    Take({wire::kMarkerPop, depth, time, 0, tid, domain, {}, {}});
  }
  // The same of thread 10, after some were lost.
  void PushAfter(uint16_t lost, int64_t time, std::string_view name, uint16_t depth) {
    Take({wire::kMarkerPush, depth, time, 0, 10, 0, name, {}, lost});
  }
  void PopAfter(uint16_t lost, int64_t time, uint16_t depth) {
    Take({wire::kMarkerPop, depth, time, 0, 10, 0, {}, {}, lost});
  }
  void Take(const MarkerRecord& record) { matcher.Take(record, 1'000'000); }

  using Row = std::tuple<std::string, int64_t, int64_t, int64_t>;  // name, start, duration, thread
  std::vector<Row> Rows() {
    std::vector<Row> rows;
    const EventTable table = run.TakeRows();
    for (size_t i = 0; i < table.rows(); ++i) {
      const StringId name{static_cast<uint32_t>(table.column(column::kMarkerName)[i])};
      rows.emplace_back(
          name ? std::string(profile.Text(name)) : "", table.column(column::kMarkerStart)[i],
          table.column(column::kMarkerDuration)[i], table.column(column::kMarkerThread)[i]);
    }
    return rows;
  }
  const MarkerCounts& counts() const { return run.counts(); }

  Profile profile;
  MarkerRun run{profile};
  MarkerMatcher matcher{profile, run};
};

using Rows = std::vector<Bench::Row>;

TEST_CASE("Pushed ranges nest per thread and domain") {
  Bench bench;
  bench.Push(100, "outer", 0);
  bench.Push(110, "of a domain", 0, 10, 3);
  bench.Push(120, "inner", 1);
  bench.Push(130, "other thread", 0, 11);
  bench.Pop(140, 1);
  bench.Pop(150, 0);
  bench.Pop(160, 0, 10, 3);
  bench.Pop(170, 0, 11);
  CHECK(bench.Rows() == Rows{{"inner", 120, 20, 1},
                             {"outer", 100, 50, 1},
                             {"of a domain", 110, 50, 1},
                             {"other thread", 130, 40, 2}});
  CHECK(bench.counts().unmatched == 0);
}

TEST_CASE("Ranges told during a look keep their times") {
  Bench bench;
  bench.Push(1'000'100, "later than the look began", 0);
  bench.Pop(1'000'300, 0);
  CHECK(bench.Rows() == Rows{{"later than the look began", 1'000'100, 200, 1}});
}

TEST_CASE("A lost record costs its own range and no other") {
  Bench bench;
  SECTION("a pop") {
    bench.Push(100, "outer", 0);
    bench.Push(110, "lost its end", 1);
    bench.Push(130, "second", 1);
    bench.Pop(140, 1);
    bench.Pop(150, 0);
    CHECK(bench.Rows() == Rows{{"second", 130, 10, 1}, {"outer", 100, 50, 1}});
    CHECK(bench.counts().unmatched == 1);
  }
  SECTION("a push") {
    bench.Push(110, "inner", 1);
    bench.Pop(120, 1);
    bench.Pop(130, 0);
    CHECK(bench.Rows() == Rows{{"inner", 110, 10, 1}});
    CHECK(bench.counts().unmatched == 1);
  }
  SECTION("a push and all before") {
    bench.Pop(130, 5);
    CHECK(bench.Rows().empty());
    CHECK(bench.counts().unmatched == 1);
  }
  SECTION("the end of one range and the begin of the next") {
    bench.Push(100, "outer", 0);
    bench.Push(110, "first", 1);
    bench.PopAfter(1, 140, 1);
    bench.Pop(150, 0);
    CHECK(bench.Rows() == Rows{{"outer", 100, 50, 1}});
    CHECK(bench.counts().unmatched == 2);
  }
  SECTION("the end of one range and the next as a whole") {
    bench.Push(100, "first", 0);
    bench.PushAfter(0, 140, "inside a lost one", 1);
    bench.Pop(150, 1);
    CHECK(bench.Rows() == Rows{{"inside a lost one", 140, 10, 1}});
  }
  SECTION("anything: what is found is true, and nothing is unaccounted") {
    std::mt19937 random(7);
    int64_t kept = 0;
    uint16_t lost = wire::kNoDepth;
    const auto keep = [&](uint16_t depth) {
      const bool is_kept = random() % 3 != 0;
      kept += is_kept;
      if (!is_kept) lost = std::min(lost, depth);
      return is_kept;
    };
    const auto push = [&](int64_t time, const char* name, uint16_t depth) {
      if (keep(depth)) bench.PushAfter(std::exchange(lost, wire::kNoDepth), time, name, depth);
    };
    const auto pop = [&](int64_t time, uint16_t depth) {
      if (keep(depth)) bench.PopAfter(std::exchange(lost, wire::kNoDepth), time, depth);
    };
    for (int64_t t = 0; t < 500'000; t += 100) {
      push(t, "a", 0);
      push(t + 10, "b", 1);
      push(t + 20, "c", 2);
      pop(t + 30, 2);
      pop(t + 40, 1);
      pop(t + 50, 0);
    }
    bench.matcher.Finish(1'000'000);
    const Rows rows = bench.Rows();
    int64_t wrong = 0;
    for (const auto& [name, start, duration, thread] : rows) {
      const int64_t place = name[0] - 'a';
      wrong += start % 100 != place * 10 || duration != 50 - 20 * place;
    }
    CHECK(wrong <= bench.counts().open);
    CHECK(2 * static_cast<int64_t>(rows.size()) - bench.counts().open + bench.counts().unmatched ==
          kept);
  }
}

TEST_CASE("Domains that are not counted nest plainly") {
  Bench bench;
  bench.Push(100, "outer", wire::kNoDepth, 10, 20);
  bench.Push(110, "inner", wire::kNoDepth, 10, 20);
  bench.Pop(120, wire::kNoDepth, 10, 20);
  bench.Pop(130, wire::kNoDepth, 10, 20);
  bench.Pop(140, wire::kNoDepth, 10, 20);
  CHECK(bench.Rows() == Rows{{"inner", 110, 10, 1}, {"outer", 100, 30, 1}});
  CHECK(bench.counts().unmatched == 1);
}

TEST_CASE("Started ranges end by their number in any thread") {
  Bench bench;
  bench.Take({wire::kMarkerStart, 0, 100, 1, 10, 0, "one", {}});
  bench.Take({wire::kMarkerStart, 0, 110, 2, 10, 0, "two", {}});
  bench.Take({wire::kMarkerEnd, 0, 120, 1, 11, 0, {}, {}});
  bench.Take({wire::kMarkerEnd, 0, 130, 2, 999, 0, {}, {}});
  bench.Take({wire::kMarkerEnd, 0, 140, 2, 10, 0, {}, {}});
  bench.Take({wire::kMarkerMoment, 0, 150, 0, 11, 0, "now", {}});
  CHECK(bench.Rows() == Rows{{"one", 100, 20, 1}, {"two", 110, 20, 1}, {"now", 150, 0, 2}});
  CHECK(bench.counts().unmatched == 1);
}

TEST_CASE("What is open ends with its thread or its process") {
  Bench bench;
  bench.Push(100, "main", 0);
  bench.Push(110, "worker", 0, 11);
  bench.Take({wire::kMarkerStart, 0, 120, 9, 10, 0, "started", {}});
  bench.profile.threads[1].end = 500;
  bench.matcher.Finish(900);
  CHECK(bench.Rows() ==
        Rows{{"main", 100, 800, 1}, {"worker", 110, 390, 2}, {"started", 120, 780, 1}});
  CHECK(bench.counts().open == 3);
}

TEST_CASE("A number of a thread that is used again is the later thread's from its start on") {
  Bench bench;
  const ThreadId later = bench.AddThread(10, 300);
  bench.Push(100, "before", 0);
  bench.Pop(200, 0);
  bench.Push(400, "after", 0);
  bench.Pop(500, 0);
  CHECK(bench.Rows() == Rows{{"before", 100, 100, 1}, {"after", 400, 100, later.value}});
  bench.Push(600, "nobody's", 0, 77);
  CHECK(bench.counts().without_thread == 1);
}

TEST_CASE("Hostile records are bounded") {
  Bench bench;
  SECTION("times") {
    bench.Push(INT64_MIN, "early", 0);
    bench.Pop(INT64_MAX, 0);
    CHECK(bench.Rows() == Rows{{"early", 0, 1'001'000'000, 1}});
    bench.Push(500, "backwards", 0);
    bench.Pop(400, 0);
    CHECK(bench.Rows() == Rows{{"backwards", 500, 0, 1}});
  }
  SECTION("depths and domains") {
    for (uint32_t domain = 0; domain < 200'000; ++domain) {
      bench.Push(100, "x", static_cast<uint16_t>(domain % 2 == 0 ? 0 : 65'000), 10, domain);
    }
    bench.matcher.Finish(1000);
    CHECK(bench.counts().open <= static_cast<int64_t>(MarkerMatcher::kMaxOpen));
    CHECK(bench.counts().open + bench.counts().unmatched == 200'000);
  }
  SECTION("started ranges") {
    for (uint64_t range = 0; range < 200'000; ++range) {
      bench.Take({wire::kMarkerStart, 0, 100, range, 10, 0, "x", {}});
    }
    CHECK(bench.counts().unmatched == 200'000 - static_cast<int64_t>(MarkerMatcher::kMaxOpen));
  }
  SECTION("names") {
    for (size_t i = 0; i < MarkerRun::kMaxNames + 10; ++i) {
      bench.Take({wire::kMarkerMoment, 0, 1, 0, 10, 0, "n" + std::to_string(i), {}});
    }
    const Rows rows = bench.Rows();
    CHECK(std::get<0>(rows.front()) == "n0");
    CHECK(std::get<0>(rows.back()) == "[too many names]");
  }
}

}  // namespace
}  // namespace gprofx
