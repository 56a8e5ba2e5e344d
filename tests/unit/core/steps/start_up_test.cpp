// The start-up of Python programs without a GPU.
#include "core/steps/start_up.h"

#include <catch2/catch.hpp>
#include "core/model/profile.h"

namespace gprofx {
namespace {

constexpr HostNs kEnd = 10 * kNsPerSecond;

struct PythonProgram {
  PythonProgram() {
    profile.processes.push_back({1, 0, profile.Intern("app.py"), {}});
    profile.threads.push_back({ProcessId{1}, 1, profile.Intern("app.py")});
    main = profile.Child(profile.root(), Python("<module>", "/app/app.py"));
    import = profile.Child(main, Python("_find_and_load", "<frozen importlib._bootstrap>"));
    imported = profile.Child(import, Python("<module>", "/app/model.py"));
    native = profile.Child(profile.root(), Native("worker"));
  }

  FrameId Python(const char* name, const char* file) {
    Function function{profile.Intern(name), profile.Intern(file), 1, {}};
    Frame frame;
    frame.kind = FrameKind::kPython;
    frame.function = profile.Intern(function);
    return profile.Intern(frame);
  }

  FrameId Native(const char* name) {
    Function function;
    function.name = profile.Intern(name);
    Frame frame;
    frame.kind = FrameKind::kNative;
    frame.function = profile.Intern(function);
    return profile.Intern(frame);
  }

  // One sample of 10 ms each 10 ms from `begin` to `end`.
  void Run(NodeId node, HostNs begin, HostNs end) {
    constexpr HostNs kEvery = 10 * kNsPerMillisecond;
    for (HostNs at = begin; at < end; at += kEvery)
      samples.push_back({at, ThreadId{1}, node, static_cast<uint32_t>(kEvery), 0});
  }

  std::vector<Phase> Phases() const {
    StartUp start_up(profile, kEnd);
    start_up.Add(samples);
    return start_up.Phases();
  }

  Profile profile;
  NodeId main, import, imported, native;
  std::vector<SampleRow> samples;
};

}  // namespace

TEST_CASE("Start-up of a Python program lasts until its imports end") {
  PythonProgram program;
  program.Run(program.imported, 0, 2 * kNsPerSecond);
  program.Run(program.main, 2 * kNsPerSecond, kEnd);
  const std::vector<Phase> phases = program.Phases();
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].kind == PhaseKind::kStartUp);
  CHECK(phases[0].range.begin == 0);
  CHECK(phases[0].range.end == Approx(2.0 * kNsPerSecond).epsilon(0.01));
  CHECK(phases[1].kind == PhaseKind::kWork);
  CHECK(phases[1].range == TimeRange{phases[0].range.end, kEnd});
}

TEST_CASE("Imports inside of the work do not lengthen start-up") {
  PythonProgram program;
  program.Run(program.import, 0, kNsPerSecond);
  program.Run(program.main, kNsPerSecond, 9 * kNsPerSecond);
  program.Run(program.imported, 9 * kNsPerSecond, kEnd);
  const std::vector<Phase> phases = program.Phases();
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].range.end == Approx(1.0 * kNsPerSecond).epsilon(0.01));
}

TEST_CASE("Native threads beside the imports are no work of Python") {
  PythonProgram program;
  program.Run(program.imported, 0, kNsPerSecond);
  program.Run(program.native, 0, kEnd);
  program.Run(program.main, kNsPerSecond, kEnd);
  const std::vector<Phase> phases = program.Phases();
  REQUIRE(phases.size() == 2);
  CHECK(phases[0].range.end == Approx(1.0 * kNsPerSecond).epsilon(0.01));
}

TEST_CASE("A program without imports, or with short ones, has no start-up") {
  PythonProgram program;
  program.Run(program.main, 0, kEnd);
  CHECK(program.Phases().empty());
  program.samples.clear();
  program.Run(program.imported, 0, 20 * kNsPerMillisecond);
  program.Run(program.main, 20 * kNsPerMillisecond, kEnd);
  CHECK(program.Phases().empty());
}

TEST_CASE("A program that only imports has no work") {
  PythonProgram program;
  program.Run(program.imported, 0, kEnd);
  const std::vector<Phase> phases = program.Phases();
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].range == TimeRange{0, kEnd});
}

TEST_CASE("Times of a broken file do no harm to start-up") {
  PythonProgram program;
  program.samples.push_back({kLatest, ThreadId{1}, program.imported, 1, 0});
  program.samples.push_back({kEarliest, ThreadId{1}, program.imported, 1, 0});
  CHECK(program.Phases().empty());
  CHECK(StartUp(program.profile, 0).Phases().empty());
  CHECK(StartUp(program.profile, kLatest).Phases().empty());
}

}  // namespace gprofx
