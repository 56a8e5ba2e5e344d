// The end of a recording: who is asked for which name, and what stays without one.
#include "samplers/recorder/finish.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

namespace gprofx {
using namespace recorder;
namespace {

class Silent : public Listener {
 public:
  void Tell(const Event&) override {}
  std::string Tell(const Problem&) override { return "before"; }
};

struct Bench {
  Bench() {
    for (const char* path : {"/no/such/library.so", "/tmp/perf-1.map"}) {
      Module module;
      module.path = raw.Intern(path);
      raw.modules.push_back(module);
    }
    raw.processes.emplace_back();
    Thread thread;
    thread.process = ProcessId{1};
    raw.threads.push_back(thread);
    time = raw.AddMetric("cpu", "ns", MetricKind::kSampled);
    Add(FrameKind::kNative, 1, 0x20, 5);
    Add(FrameKind::kNative, 1, 0x10, 7);
    Add(FrameKind::kNative, 2, 0x99, 11);
    Add(FrameKind::kUnknown, 0, 0x77, 13);
    Add(FrameKind::kPython, 0, 0, 17);
    jit[2][0x99] = {{"compiled", "", 0, "", 0}};
  }
  void Add(FrameKind kind, uint32_t module, uint64_t address, int64_t ns) {
    Frame frame;
    frame.kind = kind;
    frame.module = ModuleId{module};
    frame.address = address;
    raw.AddSelf(raw.Child(raw.root(), raw.Intern(frame)), ThreadId{1}, time, ns);
  }

  Profile raw;
  MetricId time;
  std::unordered_map<uint32_t, ModuleNames> jit;
};

TEST_CASE("addresses are asked for by module, in order, but not where a compiler named them") {
  const Bench bench;
  const auto requests = RequestsFor(bench.raw, bench.jit);
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].path == "/no/such/library.so");
  CHECK(requests[0].addresses == std::vector<uint64_t>{0x10, 0x20});
  CHECK(requests[1].addresses.empty());
}

TEST_CASE("time at addresses without a name is counted") {
  const Bench bench;
  std::vector<ModuleNames> names(2);
  names[0][0x10] = {{"f", "", 0, "", 0}};
  names[1] = bench.jit.at(2);
  CHECK(UnnamedTime(bench.raw, names, bench.time) == 5 + 13);
  CHECK(UnnamedTime(bench.raw, {}, bench.time) == 5 + 7 + 11 + 13);
}

TEST_CASE("what an interpreter without symbols does for a Python line has that line's name") {
  Bench bench;
  Module interpreter;
  interpreter.path = bench.raw.Intern("/usr/bin/python3");
  interpreter.flags = kModuleIsPython;
  bench.raw.modules.push_back(interpreter);
  Frame python, own, library;
  python.kind = FrameKind::kPython;
  python.line = 7;
  own.kind = library.kind = FrameKind::kNative;
  own.module = ModuleId{3};
  own.address = 0x40;
  library.module = ModuleId{1};
  library.address = 0x50;
  const auto at = [&bench](NodeId above, const Frame& frame) {
    return bench.raw.Child(above, bench.raw.Intern(frame));
  };
  const NodeId start = at(bench.raw.root(), own), line = at(start, python);
  bench.raw.AddSelf(start, ThreadId{1}, bench.time, 100);  // before any Python runs
  bench.raw.AddSelf(at(line, own), ThreadId{1}, bench.time, 1'000);
  bench.raw.AddSelf(at(line, library), ThreadId{1}, bench.time, 10'000);
  CHECK(UnnamedTime(bench.raw, {}, bench.time) == 5 + 7 + 11 + 13 + 100 + 10'000);
}

TEST_CASE("a finished profile has names, problems, and the time that each pass took") {
  char folder[] = "/tmp/gprof-x-test-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/p.gprofx";
  Bench bench;
  Silent silent;
  Problems problems(silent);
  problems.Tell(problem::BuiltWithoutCuda{});
  PassTimers timers;
  timers[Pass::kDrain] = 42;
  FinishInput input;
  input.jit_names = &bench.jit;
  input.time = bench.time;
  input.symbolize.use_cache = false;
  auto writer = ProfileWriter::Create(path);
  REQUIRE(writer);
  REQUIRE(FinishProfile(*writer, bench.raw, input, problems, timers).ok());
  const Result<Profile> profile = LoadProfile(path);
  REQUIRE(profile);
  bool named = false;
  for (const Function& function : profile->functions) {
    named = named || profile->Text(function.name) == "compiled";
  }
  CHECK(named);
  CHECK(profile->quality.at("unsymbolized_ns") == 5 + 7 + 13);
  CHECK(profile->meta.at("problems") == problems.Text());
  CHECK(problems.sentences().front() == "before");
  CHECK(profile->meta.at("recorder_ns_drain") == "42");
  for (const Pass pass : {Pass::kSymbolize, Pass::kResolve, Pass::kFinalWrite}) {
    CHECK(timers[pass] > 0);
    CHECK(profile->meta.at(std::string("recorder_ns_") + kPassNames[static_cast<size_t>(pass)]) !=
          "0");
  }
  CHECK(timers[Pass::kGpuAttribution] == 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace gprofx
