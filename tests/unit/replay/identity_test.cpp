// What was recorded, replayed: each event begins when it was recorded, to the nanosecond. On made
// recordings of any shape, and on the traces and profiles in GPROFX_SHARED.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>

#include "core/replay/graph.h"
#include "core/replay/step_graphs.h"
#include "core/replay/what_if.h"
#include "formats/importers/import.h"
#include "formats/profile/profile_reader.h"
#include "formats/reading/replay_read.h"
#include "made_recording.h"

namespace gprofx::testing {
using namespace gprofx::importers;
namespace {

// Nodes whose begin is another one, and how many there are of operations.
struct Compared {
  size_t different = 0, operations = 0, dependent = 0;
};

Compared Compare(const Profile& profile, const ReplayEvents& events, const ReplayWindow& window) {
  const ReplayGraph graph(profile, events, window);
  const ReplayTimes times = graph.Replay({});
  Compared out;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const ReplayNode& node = graph.nodes()[i];
    if (times.begin[i] != node.begin) ++out.different;
    if (node.kind == ReplayNode::kOperation) {
      ++out.operations;
      if (node.from[ReplayNode::kCause] != kNoNode) ++out.dependent;
      CHECK(node.begin == events.operations[node.event].start);
    }
    for (const uint32_t from : node.from) CHECK((from == kNoNode || from < i));
  }
  return out;
}

// All of each process, as one step, and its own steps where there are some.
Compared CompareAll(const Profile& profile, const ReplayEvents& events) {
  std::map<uint32_t, std::pair<HostNs, HostNs>> ranges;
  for (const ReplayOperation& operation : events.operations) {
    const uint32_t process = profile.thread(operation.thread).process.value;
    const auto [range, first] =
        ranges.try_emplace(process, std::pair(operation.start, operation.end));
    const HostNs begin = operation.launch != 0 ? operation.launch : operation.start;
    range->second.first = std::min(range->second.first, begin);
    range->second.second = std::max(range->second.second, operation.end);
  }
  Compared out;
  for (const auto& [process, range] : ranges) {
    const Compared one =
        Compare(profile, events, {ProcessId{process}, {range.first, range.second}});
    out.different += one.different;
    out.operations += one.operations;
    out.dependent += one.dependent;
  }
  for (const ReplayWindow& window : ReplayWindows(profile, {})) {
    out.different += Compare(profile, events, window).different;
  }
  return out;
}

void CheckFile(const std::string& path, const std::string& name) {
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  REQUIRE(reader);
  const Result<Profile> profile = reader->Load();
  REQUIRE(profile);
  const Result<ReplayEvents> events = ReadReplayEvents(*reader);
  REQUIRE(events);
  const Compared all = CompareAll(*profile, *events);
  INFO(name << ": " << all.operations << " operations, " << all.dependent << " with a launch");
  CHECK(all.different == 0);
  CHECK(all.operations == events->operations.size());
}

MadeRecording Random(unsigned seed) {
  std::mt19937 random(seed);
  const auto upto = [&](int most) { return static_cast<int64_t>(random() % (most + 1)); };
  MadeRecording made;
  const NodeId path = made.Path("step");
  int64_t now = 100;
  for (int i = 0; i < 60; ++i) {
    now += upto(30);
    const ThreadId thread{static_cast<uint32_t>(1 + upto(1))};
    const int64_t start = std::max<int64_t>(now + upto(40) - 5, 1);
    switch (upto(4)) {
      case 0:
        made.Wait(path, now, now + upto(50));
        break;
      case 1:
        made.Copy(path, 1 + static_cast<uint8_t>(upto(1)), 1, 3, upto(200'000), now, start,
                  upto(60));
        break;
      default:
        made.Run(path, upto(9) == 0 ? 0 : now, start, upto(20), static_cast<uint32_t>(1 + upto(2)),
                 thread);
    }
  }
  made.Steps({100 + upto(50), 400 + upto(50), now + upto(9)});
  return made;
}

}  // namespace

TEST_CASE("random recordings are replayed as they were recorded") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const MadeRecording made = Random(seed);
    INFO("seed " << seed);
    CHECK(Compare(made.profile, made.events, made.window).different == 0);
  }
}

TEST_CASE("shorter work and a faster host make nothing later") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const MadeRecording made = Random(seed);
    std::mt19937 random(seed);
    const ReplayGraph graph(made.profile, made.events, made.window);
    ReplayModel slow = graph.Unchanged(), fast = graph.Unchanged();
    slow.host_factor = 1 + static_cast<double>(random() % 100) / 100;
    fast.host_factor = slow.host_factor / (1 + static_cast<double>(random() % 3));
    for (size_t i = 0; i < slow.length.size(); ++i) {
      slow.length[i] *= 1 + static_cast<int64_t>(random() % 3);
      fast.length[i] = slow.length[i] / (1 + static_cast<int64_t>(random() % 3));
    }
    const ReplayTimes late = graph.Replay(slow), soon = graph.Replay(fast);
    INFO("seed " << seed);
    size_t later = 0;
    for (size_t i = 0; i < late.begin.size(); ++i) later += soon.begin[i] > late.begin[i] ? 1 : 0;
    CHECK(later == 0);
  }
}

TEST_CASE("shared traces and profiles are replayed as they were recorded") {
  namespace fs = std::filesystem;
  const char* shared = getenv("GPROFX_SHARED");
  const fs::path folder(shared == nullptr ? "" : shared);
  if (!fs::is_directory(folder / "traces")) {
    WARN("skipped: no traces in GPROFX_SHARED");
    return;
  }
  for (const auto& file : fs::directory_iterator(folder / "profiles")) {
    if (file.path().extension() == ".gprofx") CheckFile(file.path(), file.path().filename());
  }
  char pattern[] = "/tmp/gprof-x-replay-XXXXXX";
  const fs::path scratch = mkdtemp(pattern);
  size_t traces = 0;
  for (const char* kind : {"kineto_hta", "kineto_tracelens", "nsys"}) {
    for (const auto& file : fs::directory_iterator(folder / "traces" / kind)) {
      if (!file.is_regular_file()) continue;
      fs::path input = file.path();
      const std::string name = input.filename();
      if (input.extension() == ".zst") {
        input = scratch / input.stem();
        const std::string command =
            "zstd -qdfo '" + input.string() + "' '" + file.path().string() + "'";
        if (system(command.c_str()) != 0) {
          WARN("skipped without zstd: " << name);
          continue;
        }
      }
      const std::string output = scratch / "trace.gprofx";
      const Result<ImportedTrace> made = ImportTrace({input, output, std::nullopt, "test"});
      INFO(name);
      REQUIRE(made);
      CheckFile(output, name);
      ++traces;
      fs::remove(output);
    }
  }
  fs::remove_all(scratch);
  CHECK(traces >= 10);
}

}  // namespace gprofx::testing
