// Properties of merging, on random profiles.
#include "core/model/merge.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "core/model/content_hash.h"
#include "core/model/processes.h"
#include "core/model/sources.h"
#include "core/model/totals.h"
#include "tests/unit/core/profile_lines.h"
#include "tests/unit/core/random_profile.h"

namespace gprofx {
namespace {

using test::ProfileLines;

constexpr int64_t kSecond = 1'000'000'000;

// A recording of its own: on a host, with a begin. Odd ones are resolved.
Profile Recording(unsigned seed, uint32_t nodes = 300) {
  Profile profile = test::RandomProfile(seed, nodes, 2 + seed % 3);
  if (seed % 2 != 0) profile = Resolve(profile, test::RandomNames(profile)).profile;
  profile.meta["host"] = "node" + std::to_string(seed % 2);
  profile.meta["rank"] = std::to_string(seed);
  profile.meta["start_realtime_ns"] = std::to_string(1'700'000'000 * kSecond + seed * 1000);
  profile.meta["tool_version"] = "0.2";
  profile.quality["handler_median_ns"] = seed;
  profile.sample_rows = 10 * seed;
  return profile;
}

IdMaps Fold(Profile& into, const Profile& from, const MergeOptions& options = {}) {
  auto maps = Merge(into, from, options);
  REQUIRE(maps);
  return std::move(*maps);
}

Profile MergeAll(const std::vector<unsigned>& seeds) {
  Profile all;
  for (const unsigned seed : seeds) Fold(all, Recording(seed), {0});
  return all;
}

// "" = the same is said.
std::string Difference(const Profile& a, const Profile& b) {
  const std::vector<std::string> of_a = ProfileLines(a).Lines(), of_b = ProfileLines(b).Lines();
  const auto [x, y] = std::mismatch(of_a.begin(), of_a.end(), of_b.begin(), of_b.end());
  if (x == of_a.end() && y == of_b.end()) return "";
  return (x == of_a.end() ? "" : *x) + " / " + (y == of_b.end() ? "" : *y);
}

int64_t Total(const Profile& profile, const std::string& metric) {
  const MetricId id = profile.FindMetric(metric);
  return id ? InclusiveByNode(profile, SelfByNode(profile, id)).at(0) : 0;
}

using Sums = std::map<std::pair<std::string, uint64_t>, int64_t>;

void AddSums(const Profile& profile, Sums& sums) {
  for (const Value& value : profile.values) {
    const Frame& frame = profile.frame(profile.node(value.node).frame);
    sums[{profile.metrics[value.metric.index()].name, HashOf(profile, frame)}] += value.self;
  }
}

// Rows, ids and their order.
void CheckSameRows(const Profile& a, const Profile& b) {
  REQUIRE(a.string_count() == b.string_count());
  for (uint32_t i = 1; i <= a.string_count(); ++i) {
    REQUIRE(a.Text(StringId{i}) == b.Text(StringId{i}));
  }
  CHECK(a.modules == b.modules);
  CHECK(a.ranges == b.ranges);
  CHECK(a.functions == b.functions);
  CHECK(a.frames == b.frames);
  CHECK(a.nodes == b.nodes);
  CHECK(a.threads == b.threads);
  CHECK(a.gpu.devices == b.gpu.devices);
  CHECK(a.gpu.contexts == b.gpu.contexts);
  CHECK(a.gpu.streams == b.gpu.streams);
  CHECK(a.gpu.configs == b.gpu.configs);
  CHECK(a.gpu.cubins == b.gpu.cubins);
  CHECK(a.gpu.sources == b.gpu.sources);
  CHECK(a.gpu.wall == b.gpu.wall);
  CHECK(a.gpu.lanes == b.gpu.lanes);
  CHECK(Difference(a, b) == "");
  CHECK(SourcesOf(a) == SourcesOf(b));
}

TEST_CASE("a rank with records of all work counts beside one with estimates") {
  // Of the one 10 ns were recorded and 40 estimated, of the other 7 were recorded.
  const auto rank = [](unsigned seed, bool estimated) {
    Profile profile = Recording(seed);
    const auto add = [&](const char* metric, int64_t value) {
      const MetricId id = profile.AddMetric(metric, "ns", MetricKind::kExact);
      profile.AddSelf(NodeId{5}, ThreadId{1}, id, value);
    };
    add(kMetricGpu, estimated ? 10 : 7);
    add(kMetricGpuOps, estimated ? 2 : 3);
    if (estimated) add(kMetricGpuEstimated, 40);
    if (estimated) add(kMetricGpuOpsEstimated, 8);
    return profile;
  };
  for (const auto& order :
       {std::array{true, false, false}, {false, true, false}, {false, false, true}}) {
    Profile all;
    unsigned seed = 200;
    for (const bool estimated : order) Fold(all, rank(seed++, estimated), {0});
    CHECK(Total(all, kMetricGpu) == 10 + 7 + 7);
    CHECK(Total(all, kMetricGpuEstimated) == 40 + 7 + 7);
    CHECK(Total(all, kMetricGpuOpsEstimated) == 8 + 3 + 3);
  }
  Profile exact;
  Fold(exact, rank(210, false), {0});
  CHECK_FALSE(exact.FindMetric(kMetricGpuEstimated));
}

TEST_CASE("merging with an empty profile changes nothing, on either side") {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Profile profile = Recording(seed);
    Profile into_empty;
    const IdMaps maps = Fold(into_empty, profile);
    CheckSameRows(into_empty, profile);
    CHECK(maps.clock_offset == 0);
    for (size_t i = 0; i < maps.nodes.size(); ++i) REQUIRE(maps.nodes[i].index() == i);
    Profile with_empty = Recording(seed);
    Fold(with_empty, Profile());
    CheckSameRows(with_empty, profile);
  }
}

TEST_CASE("every metric of a merge is the sum of its parts, per frame and per source") {
  Sums expected, sums;
  Profile all;
  std::map<std::string, std::vector<int64_t>> by_source;
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    const Profile part = Recording(seed);
    AddSums(part, expected);
    for (const Metric& metric : part.metrics) {
      by_source[metric.name].push_back(Total(part, metric.name));
    }
    Fold(all, part, {0});
  }
  AddSums(all, sums);
  CHECK(sums == expected);
  for (const auto& [metric, parts] : by_source) {
    CHECK(SumsBySource(all, all.FindMetric(metric)) == parts);
    CHECK(Total(all, metric) == parts[0] + parts[1] + parts[2] + parts[3]);
  }
  CHECK(all.quality.at("samples_lost") == 12);
  CHECK(all.quality.at("handler_median_ns") == 4);  // of medians there is no sum
  CHECK(all.sample_rows == 100);
  CHECK(all.meta.contains("tool_version"));
  CHECK_FALSE(all.meta.contains("rank"));
  REQUIRE(all.sources.size() == 4);
  CHECK(all.sources[2].rank == 3);
  CHECK(all.sources[2].host == "node1");
  CHECK(all.sources[2].meta.at("command") == "python3 a.py");
  CHECK(all.gpu.wall[0] == WallPart{"gpu.compute", 2800, 100});
  CHECK(all.gpu.lanes.size() == 12);
  CHECK(all.processes.size() == 4);  // equal numbers, but not one process
}

TEST_CASE("the order of merging changes no sum and nothing that is said") {
  const Profile one = MergeAll({1, 2, 3}), other = MergeAll({3, 1, 2});
  CHECK(Difference(one, other) == "");
  Sums a, b;
  AddSums(one, a);
  AddSums(other, b);
  CHECK(a == b);
  Profile right = MergeAll({2, 3});  // 1 + (2 + 3)
  Profile left = Recording(1);
  Fold(left, right, {0});
  CHECK(Difference(left, one) == "");
}

// The threads of a recording with an even or an odd number, and what is theirs.
Profile Half(unsigned seed, uint32_t odd) {
  const Profile whole = Recording(seed);
  Profile half;
  half.Intern("another order of strings");
  Profile none = Recording(seed);
  std::erase_if(none.values, [&](const Value& v) { return v.thread.value % 2 != odd; });
  none.quality.clear();
  if (odd == 0) none.quality = whole.quality;
  none.sample_rows = odd == 0 ? whole.sample_rows : 0;
  // Without the threads of the other half: ids of the rest move up.
  std::vector<ThreadId> ids(whole.threads.size());
  none.threads.clear();
  for (uint32_t i = 0; i < whole.threads.size(); ++i) {
    if ((i + 1) % 2 != odd) continue;
    none.threads.push_back(whole.threads[i]);
    ids[i] = ThreadId{static_cast<uint32_t>(none.threads.size())};
  }
  for (Value& value : none.values) value.thread = ids[value.thread.index()];
  const IdMaps maps = Fold(half, none);
  CHECK(maps.nodes.size() == whole.nodes.size());
  return half;
}

TEST_CASE("two halves of a profile's threads make the whole") {
  for (const unsigned seed : {4U, 5U, 7U}) {
    const Profile whole = Recording(seed);
    Profile merged = Half(seed, 0);
    CHECK(merged.threads.size() < whole.threads.size());
    Fold(merged, Half(seed, 1));
    CHECK(merged.sources.size() == 1);
    CHECK(Difference(merged, whole) == "");
  }
}

TEST_CASE("the same thread in two parts of a recording has the times of both") {
  const Profile part = Recording(4);
  Profile merged = Recording(4), other = Recording(4);
  merged.threads[0].cpu_ns = 5;
  other.threads[0].cpu_ns = 7;
  Fold(merged, other);
  CHECK(merged.threads.size() == part.threads.size());
  CHECK(merged.threads[0].cpu_ns == 12);
  CHECK(Total(merged, "cpu") == 2 * Total(part, "cpu"));
  CHECK(merged.gpu.wall == part.gpu.wall);  // said of the whole recording, twice
  CHECK(merged.gpu.lanes == part.gpu.lanes);
}

TEST_CASE("what has no start is a recording of its own, and has rank and host if they are told") {
  Profile merged = test::RandomProfile(1, 50);
  Fold(merged, test::RandomProfile(1, 50));
  REQUIRE(merged.sources.size() == 2);
  CHECK(merged.processes.size() == 2);
  CHECK(merged.modules.size() == 3);
  CHECK(merged.sources[0].rank == -1);
  CHECK(merged.sources[0].host.empty());
  Profile old;
  CHECK(SourcesOf(old).empty());
  old.meta = {{"host", "h"}, {"rank", "7x"}, {"start_realtime_ns", "-5"}};
  REQUIRE(SourcesOf(old).size() == 1);
  CHECK(SourcesOf(old)[0].rank == -1);
  CHECK(SourcesOf(old)[0].start_realtime_ns == 0);
}

TEST_CASE("times of all sources are on one clock") {
  Profile late = Recording(2), early = Recording(1);
  late.meta["start_realtime_ns"] = std::to_string(1'700'000'005 * kSecond);
  early.meta["start_realtime_ns"] = std::to_string(1'700'000'002 * kSecond);
  for (Profile* profile : {&late, &early}) {
    profile->processes[0].start = 10;
    profile->threads[0].start = 20;
    profile->threads[0].end = 30;
  }
  const Profile* both[] = {&late, &early};
  CHECK(ClockOffsets(both) == std::vector<HostNs>{3 * kSecond, 0});
  Profile merged;
  Fold(merged, early);
  const IdMaps maps = Fold(merged, late);
  CHECK(maps.clock_offset == 3 * kSecond);
  CHECK(merged.processes[1].start == 3 * kSecond + 10);
  CHECK(merged.processes[1].end == 0);  // not seen to end
  const Thread& thread = merged.thread(maps.threads[0]);
  CHECK(thread.start == 3 * kSecond + 20);
  CHECK(thread.end == 3 * kSecond + 30);
  CHECK(merged.sources[1].clock_offset_ns == 3 * kSecond);
  CHECK(merged.gpu.lanes[3].begin == 3 * kSecond + 10);
  // The merged profile's clock is that of its first source, also for the next merge.
  Profile outer;
  Fold(outer, merged, {100});
  CHECK(outer.sources[0].clock_offset_ns == 100);
  CHECK(outer.sources[1].clock_offset_ns == 3 * kSecond + 100);
  CHECK(RealtimeOfZero(outer) == 1'700'000'002 * kSecond - 100);
}

TEST_CASE("rows of streams mean the same after they were translated") {
  Profile merged = Recording(1);
  const Profile from = Recording(2);
  IdMaps maps = Fold(merged, from, {0});
  maps.clock_offset = 1000;
  std::mt19937 random(5);
  for (const EventStream& stream : EventStreams()) {
    EventTable rows(stream.id), before(stream.id);
    for (int i = 0; i < 200; ++i) {
      for (size_t k = 0; k < rows.columns(); ++k) {
        rows.column(k).push_back(static_cast<int64_t>(random() % 3));  // 2 of the smallest table
      }
    }
    before = rows;
    maps.Translate(rows);
    for (size_t k = 0; k < rows.columns(); ++k) {
      const ColumnRole role = stream.columns[k].role;
      for (size_t i = 0; i < rows.rows(); ++i) {
        const int64_t was = before.column(k)[i], is = rows.column(k)[i];
        if (role == ColumnRole::kTime) {
          REQUIRE(is == (k > 0 && was == 0 ? 0 : was + 1000));
          continue;
        }
        if (role == ColumnRole::kProcess && was > 1) continue;  // there is one
        const std::string word = ProfileLines(from).Word(role, was);
        REQUIRE(ProfileLines(merged).Word(role, is) == word);
      }
    }
  }
  EventTable bad(Stream::kCalls);
  bad.Append(CallEvent{5, 1, ThreadId{4'000'000}, NodeId{0}, StringId{4'000'000}});
  maps.Translate(bad);
  CHECK(bad.column(column::kCallThread)[0] == 0);
  CHECK(bad.column(column::kCallKind)[0] == 0);
  SampleRow sample{7, ThreadId{2}, NodeId{9}, 1, 0};
  maps.Translate(sample);
  CHECK(sample.time == 1007);
  CHECK(ProfileLines(merged).Of(sample.node) == ProfileLines(from).Of(NodeId{9}));
  CHECK(ProfileLines(merged).Of(sample.thread) == ProfileLines(from).Of(ThreadId{2}));
}

TEST_CASE("what is equal in two recordings has one row, what is a process's own has two") {
  const auto make = [](unsigned seed) {
    Profile profile = Recording(seed);
    profile.modules.push_back({profile.Intern("[code made at run time]"), {}, 0});
    return profile;
  };
  const Profile first = make(2), second = make(4);
  Profile merged = make(2);
  Fold(merged, second);
  CHECK(merged.frames.size() == first.frames.size());  // both have the same ones
  CHECK(merged.functions.size() == first.functions.size());
  CHECK(merged.modules.size() == first.modules.size() + 1);
  CHECK(merged.gpu.devices.size() == first.gpu.devices.size());
  CHECK(merged.gpu.configs.size() == first.gpu.configs.size());
  CHECK(merged.gpu.cubins.size() == first.gpu.cubins.size());
  CHECK(merged.gpu.contexts.size() == 2 * first.gpu.contexts.size());
  CHECK(merged.gpu.streams.size() == 2 * first.gpu.streams.size());
  CHECK(merged.threads.size() == first.threads.size() + second.threads.size());
  for (size_t i = 1; i < merged.nodes.size(); ++i) {
    REQUIRE(merged.nodes[i].parent.value <= i);  // parents first
  }
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> triples;
  for (const Value& v : merged.values) {
    CHECK(triples.insert({v.node.value, v.thread.value, v.metric.value}).second);
  }
}

TEST_CASE("a process of one recording does not become one of another by exec") {
  Profile first = Recording(2), second = Recording(4);
  first.processes[0].end = 100;  // at that moment another one of its number begins elsewhere
  second.processes[0].start = 100;
  Fold(first, second, {0});
  CHECK(CountProcesses(first) == 2);
}

TEST_CASE("a GPU without a UUID is not the one of another host") {
  const auto make = [](unsigned seed, const char* uuid) {
    Profile profile = Recording(seed);
    profile.gpu = {};
    profile.gpu.devices.push_back({profile.Intern("H100"), profile.Intern(uuid)});
    return profile;
  };
  Profile shared = make(1, "GPU-1"), apart = make(1, "");
  Fold(shared, make(2, "GPU-1"));
  Fold(apart, make(2, ""));
  CHECK(shared.gpu.devices.size() == 1);
  CHECK(apart.gpu.devices.size() == 2);
}

TEST_CASE("what cannot be merged is refused and left as it was") {
  Profile into = Recording(1);
  Profile from = Recording(2);
  from.metrics[0].unit = "us";
  const auto units = Merge(into, from);
  REQUIRE_FALSE(units);
  CHECK(units.error().what == "the unit of metric 'cpu' is ns in one profile and us in the other");
  CHECK_FALSE(Merge(into, into));
  Profile both = MergeAll({1, 2});
  CHECK_FALSE(Merge(into, both));  // 1 is in both, 2 is not
  CHECK(Difference(into, Recording(1)) == "");
  CHECK(into.sources.empty());
}

TEST_CASE("the same file once more is refused, another part of its recording is not") {
  Profile all = Recording(1);
  const auto again = Merge(all, Recording(1));
  REQUIRE_FALSE(again);
  CHECK(again.error().Text().find("already holds this recording") != std::string::npos);
  CHECK(Difference(all, Recording(1)).empty());
  Profile part = Recording(1);
  part.quality["samples"] += 1;
  CHECK(Merge(all, part));
  // With an id nothing else counts.
  Profile one, other;
  for (Profile* profile : {&one, &other}) profile->processes.push_back({});
  one.meta = {{"recording_id", "a"}};
  other.meta = {{"recording_id", "a"}, {"tool_version", "9"}};
  CHECK_FALSE(Merge(one, other));
  other.meta["recording_id"] = "b";
  CHECK(Merge(one, other));
  CHECK_FALSE(Merge(one, other));
}

TEST_CASE("a sum of exact and estimated values is an estimate") {
  Profile exact = Recording(1), sampled = Recording(2);
  exact.AddMetric("gpu", "ns", MetricKind::kExact);
  sampled.AddMetric("gpu", "ns", MetricKind::kSampled);
  Fold(exact, sampled);
  CHECK(exact.metrics[exact.FindMetric("gpu").index()].kind == MetricKind::kSampled);
}

TEST_CASE("sums stop at their limits") {
  Profile into = Recording(1), from = Recording(2);
  const MetricId big = into.AddMetric("big", "count", MetricKind::kExact);
  into.AddSelf(into.root(), ThreadId{1}, big, INT64_MAX);
  from.processes[0].start = INT64_MAX;
  from.quality["samples_lost"] = INT64_MAX;
  from.sample_rows = INT64_MAX;
  Fold(into, from, {INT64_MAX});
  CHECK(into.processes[1].start == INT64_MAX);
  CHECK(into.quality["samples_lost"] == INT64_MAX);
  CHECK(into.sample_rows == INT64_MAX);
}

}  // namespace
}  // namespace gprofx
