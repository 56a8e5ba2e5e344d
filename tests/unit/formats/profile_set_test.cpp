// Several files read as one profile.
#include "formats/profile/profile_set.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "formats/profile/profile_db.h"
#include "tests/unit/core/random_profile.h"
#include "tests/unit/formats/test_support.h"

namespace gprofx {
namespace {

using test::TempFolder;

constexpr HostNs kMs = 1'000'000;

// The file of a rank whose collectives end at `ends` of its own clock.
std::string WriteRank(const TempFolder& folder, int rank, int64_t start_realtime,
                      const std::vector<HostNs>& ends) {
  Profile profile;
  profile.meta = {{"clock", "cpu"},
                  {"host", "node" + std::to_string(rank)},
                  {"rank", std::to_string(rank)},
                  {"start_realtime_ns", std::to_string(start_realtime)}};
  // So that equal names have other ids in each file.
  for (int i = 0; i < rank; ++i) profile.Intern("filler " + std::to_string(i));
  profile.processes.push_back({.pid = 10 + rank, .name = profile.Intern("train.py")});
  profile.threads.push_back({.process = ProcessId{1}, .tid = 10 + rank});
  const FunctionId reduce =
      profile.Intern(Function{.name = profile.Intern("ncclDevKernel_AllReduce_Sum_f32_RING_LL")});
  const NodeId node = profile.Child(
      profile.root(), profile.Intern(Frame{.kind = FrameKind::kGpuKernel, .function = reduce}));
  profile.gpu.contexts.push_back({.process = ProcessId{1}, .number = 1});
  profile.gpu.streams.push_back({.context = GpuContextId{1}, .number = 7});
  profile.gpu.configs.push_back({.function = reduce});
  const MetricId gpu = profile.AddMetric("gpu", "ns", MetricKind::kExact);
  EventTable kernels(Stream::kKernels);
  for (const HostNs end : ends) {
    KernelEvent row;
    row.start = end - kMs;
    row.duration = kMs;
    row.thread = ThreadId{1};
    row.node = node;
    row.stream = GpuStreamId{1};
    row.config = GpuConfigId{1};
    kernels.Append(row);
    profile.AddSelf(node, ThreadId{1}, gpu, kMs);
  }
  const std::string path = folder / ("rank" + std::to_string(rank) + ".gprofx");
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer.ok());
  writer->AppendEvents(kernels);
  writer->AppendSamples({{{.time = 5 * kMs, .thread = ThreadId{1}, .node = node, .weight = 9}}});
  REQUIRE(writer->Finish(profile, {}).ok());
  return path;
}

std::map<std::string, std::vector<HostNs>> EndsByHost(const ProfileSet& set) {
  const Profile& profile = set.profile();
  std::map<std::string, std::vector<HostNs>> ends;
  constexpr size_t kColumns[] = {column::kKernelStart, column::kKernelDuration,
                                 column::kKernelThread, column::kKernelNode, column::kKernelStream};
  const auto rows =
      set.Events(Stream::kKernels, kColumns, INT64_MIN, INT64_MAX, [&](const EventTable& batch) {
        for (size_t i = 0; i < batch.rows(); ++i) {
          const auto at = [&](size_t column) {
            return static_cast<uint32_t>(batch.column(column)[i]);
          };
          const Thread& thread = profile.thread(ThreadId{at(column::kKernelThread)});
          const SourceId source = profile.process(thread.process).source;
          const Frame& frame = profile.frame(profile.node(NodeId{at(column::kKernelNode)}).frame);
          CHECK(profile.Text(profile.function(frame.function).name).starts_with("ncclDevKernel"));
          const GpuStreamRow& stream = profile.gpu.streams.at(at(column::kKernelStream) - 1);
          CHECK(profile.gpu.contexts.at(stream.context.index()).process == thread.process);
          ends[profile.sources.at(source.index()).host].push_back(
              batch.column(column::kKernelStart)[i] + batch.column(column::kKernelDuration)[i]);
        }
      });
  REQUIRE(rows.ok());
  for (auto& [host, times] : ends) std::sort(times.begin(), times.end());
  return ends;
}

TEST_CASE("ranks of two hosts have one clock, as their collectives say") {
  TempFolder folder;
  std::vector<HostNs> ends, late;
  for (int i = 1; i <= 30; ++i) {
    ends.push_back(i * 100 * kMs);
    late.push_back(i * 100 * kMs - 40 * kMs + i % 3 * 1000);
  }
  // The second began 40 ms later, and its host's clock is 25 ms fast.
  const int64_t start = 1'700'000'000'000'000'000;
  const std::vector<std::string> paths = {WriteRank(folder, 0, start, ends),
                                          WriteRank(folder, 1, start + 65 * kMs, late)};
  for (const bool turned : {false, true}) {
    std::vector<std::string> order = paths;
    if (turned) std::reverse(order.begin(), order.end());
    const Result<ProfileSet> set = ProfileSet::Open(order);
    INFO((set ? "" : set.error().Text()));
    REQUIRE(set.ok());
    const auto by_host = EndsByHost(*set);
    REQUIRE(by_host.size() == 2);
    for (size_t i = 0; i < ends.size(); ++i) {
      CHECK(std::abs(by_host.at("node0")[i] - by_host.at("node1")[i]) <= 2000);
    }
    CHECK(set->profile().sources.size() == 2);
    std::vector<HostNs> times;
    const auto samples = set->Samples(0, INT64_MAX, [&](std::span<const SampleRow> rows) {
      for (const SampleRow& row : rows) times.push_back(row.time);
    });
    REQUIRE(samples.ok());
    CHECK(*samples == 2);
    std::sort(times.begin(), times.end());
    CHECK(std::abs(times.at(1) - times.at(0) - 40 * kMs) <= 2000);
  }
}

TEST_CASE("a range of the merged clock is that range of each file's") {
  TempFolder folder;
  const int64_t start = 1'700'000'000'000'000'000;
  const std::vector<std::string> paths = {WriteRank(folder, 0, start, {}),
                                          WriteRank(folder, 1, start + 50 * kMs, {})};
  const Result<ProfileSet> set = ProfileSet::Open(paths);
  REQUIRE(set.ok());
  const auto count = [&](HostNs begin, HostNs end) {
    return *set->Samples(begin, end, [](std::span<const SampleRow>) {});
  };
  CHECK(count(0, 10 * kMs) == 1);
  CHECK(count(50 * kMs, 60 * kMs) == 1);
  CHECK(count(10 * kMs, 50 * kMs) == 0);
  CHECK(count(0, INT64_MAX) == 2);
}

TEST_CASE("one file is read as it is, code and sources too") {
  TempFolder folder;
  const Profile raw = test::RandomProfile(71, 200);
  const Resolved resolved = Resolve(raw, test::RandomNames(raw));
  const std::string path = test::WriteFinished(folder, resolved.profile, 50, 20);
  const Result<ProfileSet> set = ProfileSet::Open({path});
  REQUIRE(set.ok());
  test::CheckSame(set->profile(), *LoadProfile(path));
  CHECK(set->Cubins()->size() == test::ReadCubins(path)->size());
  CHECK(set->Sources()->size() == test::ReadSources(path)->size());
}

TEST_CASE("code and sources of several files are those of each, once") {
  TempFolder a, b;
  std::vector<std::string> paths;
  std::map<uint64_t, std::vector<std::byte>> code;
  for (const unsigned seed : {72u, 73u}) {
    Profile profile = test::RandomProfile(seed, 100);
    profile.meta["start_realtime_ns"] = std::to_string(seed);
    paths.push_back(test::WriteFinished(seed == 72 ? a : b, profile, 5, 5));
    const Result<std::vector<GpuCubin>> cubins = test::ReadCubins(paths.back());
    REQUIRE(cubins.ok());
    for (const GpuCubin& cubin : *cubins) {
      if (code[cubin.hash].empty()) code[cubin.hash] = cubin.data;
    }
  }
  const Result<ProfileSet> set = ProfileSet::Open(paths);
  INFO((set ? "" : set.error().Text()));
  REQUIRE(set.ok());
  const Result<std::vector<GpuCubin>> cubins = set->Cubins();
  REQUIRE(cubins.ok());
  CHECK(cubins->size() == code.size());
  for (const GpuCubin& cubin : *cubins) CHECK(code.at(cubin.hash) == cubin.data);
  const Result<std::vector<SourceText>> sources = set->Sources();
  REQUIRE(sources.ok());
  for (const SourceText& source : *sources) {
    CHECK(source.path.value <= set->profile().string_count());
  }
}

TEST_CASE("a source text of several files is there once, in the order of the files") {
  TempFolder a, b;
  std::vector<std::string> paths;
  for (const std::string name : {"one.py", "two.py"}) {
    Profile profile;
    profile.meta["start_realtime_ns"] = name == "one.py" ? "1" : "2";
    profile.gpu.sources = {{profile.Intern(name), "own"},
                           {profile.Intern("shared.py"), "same"},
                           {profile.Intern("changed.py"), "text of " + name}};
    paths.push_back(test::WriteFinished(name == "one.py" ? a : b, profile, 0));
  }
  const Result<ProfileSet> set = ProfileSet::Open(paths);
  REQUIRE(set.ok());
  std::vector<std::pair<std::string, std::string>> texts;
  const Result<std::vector<SourceText>> sources = set->Sources();
  REQUIRE(sources.ok());
  for (const SourceText& source : *sources) {
    texts.emplace_back(set->profile().Text(source.path), source.text);
  }
  CHECK(texts ==
        std::vector<std::pair<std::string, std::string>>{{"one.py", "own"},
                                                         {"shared.py", "same"},
                                                         {"changed.py", "text of one.py"},
                                                         {"two.py", "own"},
                                                         {"changed.py", "text of two.py"}});
}

TEST_CASE("the error names the file") {
  TempFolder folder;
  const std::string good = WriteRank(folder, 0, 5, {}), missing = folder / "none.gprofx";
  const Result<ProfileSet> set = ProfileSet::Open({good, missing});
  REQUIRE_FALSE(set.ok());
  CHECK(set.error().what.find("none.gprofx") != std::string::npos);
}

TEST_CASE("what cannot be read, or is there twice, is left out where that is asked") {
  TempFolder folder;
  const std::string first = WriteRank(folder, 0, 5, {}), second = WriteRank(folder, 1, 5, {});
  const std::string missing = folder / "none.gprofx";
  std::vector<Error> left_out;
  const Result<ProfileSet> set = ProfileSet::Open({first, missing, second, first}, left_out);
  REQUIRE(set.ok());
  CHECK(set->paths() == std::vector<std::string>{first, second});
  REQUIRE(left_out.size() == 2);
  CHECK(left_out[0].what.find("none.gprofx") != std::string::npos);
  CHECK(left_out[1].what.find(first) != std::string::npos);
  left_out.clear();
  CHECK_FALSE(ProfileSet::Open({missing, missing}, left_out).ok());
  CHECK(left_out.size() == 2);
}

}  // namespace
}  // namespace gprofx
