#include "core/events/marker_sums.h"

#include <map>
#include <random>

#include <catch2/catch.hpp>

namespace gprofx {
namespace {

constexpr HostNs kEnd = 1'000'000;

struct Run {
  Profile profile;
  std::vector<PhaseMarker> markers;
  std::vector<PhaseOperation> work;
  std::vector<SampleRow> samples;
};

// Two threads that name ranges in one process, one of two in another.
Run RandomRun(uint32_t seed) {
  Run run;
  Profile& p = run.profile;
  std::mt19937_64 random(seed);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  p.meta["duration_ns"] = std::to_string(kEnd);
  for (int64_t pid : {10, 20}) p.processes.push_back({pid, 0, p.Intern("p"), {}});
  for (uint32_t i = 0; i < 4; ++i) p.threads.push_back({ProcessId{1 + i / 2}, i, p.Intern("t")});
  for (int i = 0; i < 200; ++i) {
    const HostNs begin = below(kEnd), end = std::min(begin + below(40'000), kEnd);
    const ThreadId thread{static_cast<uint32_t>(1 + below(3))};
    run.markers.push_back({begin, i % 10 == 0 ? begin : end, thread,
                           p.Intern("name " + std::string(1, static_cast<char>('a' + below(4)))),
                           below(2) == 0 ? StringId{} : p.Intern("domain")});
  }
  for (int i = 0; i < 500; ++i) {
    const HostNs launch = 1 + below(kEnd), start = launch + below(5'000);
    const ThreadId thread{static_cast<uint32_t>(below(5))};
    run.work.push_back({i % 20 == 0 ? 0 : launch, start, start + below(9'000), thread, {}, {}});
    SampleRow row;
    row.time = below(kEnd + 2'000) - 1'000;
    row.weight = static_cast<uint32_t>(below(5'000));
    row.thread = thread;
    row.state = i % 7 == 0 ? kStateIdle : 0;
    run.samples.push_back(row);
  }
  return run;
}

// Does the range hold what happens on this thread? Process 1 has two threads with ranges.
bool Holds(const PhaseMarker& marker, ThreadId thread, HostNs time) {
  if (time < marker.begin || time >= marker.end || !thread) return false;
  const bool second = marker.thread.value == 3;
  return second ? thread.value >= 3 : marker.thread == thread;
}

std::vector<MarkerSum> Sum(const Run& run, TimeRange range, size_t bins = 0) {
  MarkerSums sums(run.profile, run.markers, range);
  sums.AddOperations(run.work);
  sums.AddSamples(run.samples);
  return std::move(sums).Finish(bins);
}

}  // namespace

TEST_CASE("what went on in named ranges is what counting one by one finds") {
  const auto range =
      GENERATE(TimeRange{0, kEnd}, TimeRange{200'000, 700'000}, TimeRange{500'000, kEnd});
  const auto seed = GENERATE(1u, 2u, 3u);
  const Run run = RandomRun(seed);
  const Profile& p = run.profile;
  const HostNs first = range.begin == 0 ? -kEnd : range.begin,
               last = range.end == kEnd ? 9 * kEnd : range.end;
  const std::vector<MarkerSum> rows = Sum(run, range);
  REQUIRE(rows.size() == 8);
  for (const MarkerSum& row : rows) {
    INFO(row.domain << " " << row.name);
    MarkerSum want;
    std::map<uint32_t, std::vector<bool>> open;  // by thread, in ns
    int64_t lengths = 0;
    std::vector<const PhaseMarker*> own;
    for (const PhaseMarker& marker : run.markers) {
      if (p.Text(marker.name) != row.name || p.Text(marker.domain) != row.domain) continue;
      own.push_back(&marker);
      if (marker.begin == marker.end) {
        const bool inside = marker.begin >= first && marker.begin < last;
        want.count += inside;
        want.moments += inside;
        continue;
      }
      const HostNs begin = std::max(marker.begin, range.begin),
                   end = std::min(marker.end, range.end);
      if (begin >= end) continue;
      ++want.count;
      lengths += end - begin;
      want.largest_ns = std::max(want.largest_ns, end - begin);
      std::vector<bool>& thread = open[marker.thread.value];
      thread.resize(kEnd);
      std::fill(thread.begin() + begin, thread.begin() + end, true);
    }
    for (const auto& [thread, time] : open)
      want.total_ns += std::count(time.begin(), time.end(), true);
    const auto held = [&](ThreadId thread, HostNs time) {
      return std::any_of(own.begin(), own.end(),
                         [&](const PhaseMarker* m) { return Holds(*m, thread, time); });
    };
    for (const SampleRow& sample : run.samples) {
      const bool counts = sample.time >= first && sample.time < last && sample.state != kStateIdle;
      if (counts && held(sample.thread, sample.time)) want.cpu_ns += sample.weight;
    }
    for (const PhaseOperation& work : run.work) {
      if (work.launch == 0 || !held(work.thread, work.launch)) continue;
      want.gpu_ns += std::max<int64_t>(std::min(work.end, last) - std::max(work.start, first), 0);
      want.gpu_operations += work.start >= first && work.start < last;
    }
    CHECK(row.count == want.count);
    CHECK(row.moments == want.moments);
    CHECK(row.total_ns == want.total_ns);
    CHECK(row.largest_ns == want.largest_ns);
    CHECK(row.mean_ns == (row.count > row.moments ? lengths / (row.count - row.moments) : 0));
    CHECK(row.cpu_ns == want.cpu_ns);
    CHECK(row.gpu_ns == want.gpu_ns);
    CHECK(row.gpu_operations == want.gpu_operations);
  }
}

TEST_CASE("many numbered names are one row, a few stay as they are") {
  Run run;
  run.profile.processes.push_back({1, 0, run.profile.Intern("p"), {}});
  run.profile.threads.push_back({ProcessId{1}, 1, run.profile.Intern("t")});
  const auto add = [&](const std::string& name, HostNs begin) {
    run.markers.push_back({begin, begin + 10, ThreadId{1}, run.profile.Intern(name), {}});
  };
  for (int i = 0; i < 11; ++i) add("ProfilerStep#" + std::to_string(i), 100 * i);
  for (int i = 0; i < 3; ++i) add("layer" + std::to_string(i), 100 * i);
  for (int i = 0; i < 20; ++i) add("again 7", 100 * i);
  std::map<std::string, int64_t> counts;
  for (const MarkerSum& row : Sum(run, {0, 5'000}, 50)) {
    counts[row.name] = row.count;
    int64_t binned = 0;
    for (const int64_t ns : row.bins) binned += ns;
    CHECK(binned == row.total_ns);
  }
  CHECK(counts ==
        std::map<std::string, int64_t>{
            {"ProfilerStep#*", 11}, {"layer0", 1}, {"layer1", 1}, {"layer2", 1}, {"again 7", 20}});
}

TEST_CASE("times of broken markers overflow nothing") {
  Run run;
  run.profile.processes.push_back({1, 0, run.profile.Intern("p"), {}});
  run.profile.threads.push_back({ProcessId{1}, 1, run.profile.Intern("t")});
  constexpr HostNs kFar = HostNs{1} << 61;
  run.markers = {
      {-kFar, kFar, ThreadId{1}, {}, {}}, {kFar, -kFar, {}, {}, {}}, {-kFar, kFar, {}, {}, {}}};
  const std::vector<MarkerSum> rows = Sum(run, {0, 1'000}, 3);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].total_ns == 2'000);
  CHECK(Sum(Run{}, {0, 1}).empty());
}

}  // namespace gprofx
