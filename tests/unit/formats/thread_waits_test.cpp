// Waits of threads in a file: read back by variability, unknown where they are damaged, and without
// any name of their own when a profile is redacted.
#include <catch2/catch.hpp>

#include "formats/redaction/redacted_file.h"
#include "formats/variability/files.h"
#include "test_support.h"

namespace gprofx {
namespace {

using test::FrameOf;
using test::TempFolder;
using variability::Witness;

constexpr HostNs kMs = 1'000'000;
constexpr int kSteps = 20;

// Steps of 10 ms from 100 ms on, told by the optimizer's frame; in each, the thread had no core for
// as many microseconds as the step has number, and two CPUs.
std::string WriteJob(const TempFolder& folder) {
  Profile p;
  p.processes.push_back({1, 0, p.Intern("train.py"), {}});
  p.threads.push_back({ProcessId{1}, 1, p.Intern("main")});
  p.gpu.devices.emplace_back();
  p.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
  p.gpu.streams.push_back({GpuContextId{1}, 7, 0});
  p.gpu.configs.push_back({});
  const NodeId main = p.Child(p.root(), FrameOf(p, FrameKind::kPython, "main", ""));
  const NodeId step =
      p.Child(main, FrameOf(p, FrameKind::kPython, "SGD.step", "/x/torch/optim/sgd.py"));
  const NodeId gemm = p.Child(main, FrameOf(p, FrameKind::kGpuKernel, "gemm", ""));
  const NodeId sgd = p.Child(step, FrameOf(p, FrameKind::kGpuKernel, "sgd", ""));
  EventTable kernels(Stream::kKernels), waits(Stream::kThreadWaits);
  HostNs now = 100 * kMs;
  for (int i = 0; i < kSteps; ++i) {
    for (const NodeId node : {gemm, sgd}) {
      kernels.Append(
          KernelEvent{now + 1000, 2 * kMs, now, ThreadId{1}, node, GpuStreamId{1}, GpuConfigId{1}});
      now += 5 * kMs;
    }
    waits.Append(ThreadWaitEvent{now - 9 * kMs, 8 * kMs, ThreadId{1}, i * 1000, 3, 2});
  }
  const MetricId gpu = p.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  for (const NodeId node : {gemm, sgd}) p.AddSelf(node, ThreadId{1}, gpu, kSteps * 2 * kMs);
  p.gpu.wall.push_back({"gpu.compute", now});
  p.gpu.lanes.push_back({ProcessId{1}, GpuDeviceId{1}, 100 * kMs, now, 0, {}});
  p.meta["duration_ns"] = std::to_string(now);
  const std::string path = folder / "job.gprofx";
  Result<ProfileWriter> writer = ProfileWriter::Create(path);
  REQUIRE(writer);
  writer->AppendEvents(kernels);
  writer->AppendEvents(waits);
  REQUIRE(writer->Finish(p, {}));
  return path;
}

std::vector<int64_t> Told(const variability::Evidence& evidence, Witness witness) {
  std::vector<int64_t> told;
  for (const auto& step : evidence.at(0).steps) told.push_back(step[static_cast<size_t>(witness)]);
  return told;
}

TEST_CASE("waits of threads are told of the steps that they lie in") {
  TempFolder folder;
  const std::string path = WriteJob(folder);
  auto file = OpenEventFile(path);
  REQUIRE(file);
  Result<variability::Evidence> evidence = (*file)->ReadEvidence();
  REQUIRE(evidence);
  REQUIRE(evidence->size() == 1);
  int64_t ready = 0;
  for (const int64_t ns : Told(*evidence, Witness::kReady)) ready += ns;
  CHECK(ready > 0);
  CHECK(ready <= 1000 * kSteps * (kSteps - 1) / 2);
  CHECK(ready >= 1000 * (kSteps - 1) * (kSteps - 2) / 2 - 1000);  // but for the ends
  CHECK(Told(*evidence, Witness::kCpus).at(5) == 2);
  CHECK((*file)->facts().notes.empty());
  file->reset();  // the file is open no more

  SECTION("a damaged block makes them unknown, and nothing else") {
    test::Forge(path, "UPDATE chunk SET data=zeroblob(100) WHERE stream=17");
    auto damaged = OpenEventFile(path);
    REQUIRE(damaged);
    evidence = (*damaged)->ReadEvidence();
    REQUIRE(evidence);
    for (const Witness witness : {Witness::kReady, Witness::kFaults, Witness::kCpus}) {
      for (const int64_t ns : Told(*evidence, witness)) CHECK(ns == -1);
    }
    REQUIRE((*damaged)->facts().notes.size() == 1);
    CHECK((*damaged)->facts().notes[0].find("waits of threads cannot be read") == 0);
    size_t kernels = 0;
    REQUIRE(
        (*damaged)->ReadPart(0, 1, [&](const auto&, auto events) { kernels += events.size(); }));
    CHECK(kernels == 2 * kSteps);
  }
  SECTION("a redacted file has their numbers, and no name") {
    const std::string redacted = folder / "redacted.gprofx";
    REQUIRE(WriteRedacted(path, redacted, "key"));
    const size_t columns[] = {0, 1, 2, 3, 4, 5};
    std::vector<std::vector<int64_t>> rows[2];
    for (int i = 0; i < 2; ++i) {
      REQUIRE(test::ReadEvents(i == 0 ? path : redacted, Stream::kThreadWaits, columns, kEarliest,
                               kLatest, [&](const EventTable& table) {
                                 for (size_t c = 0; c < 6; ++c) rows[i].push_back(table.column(c));
                               }));
    }
    CHECK(rows[0] == rows[1]);  // all of them numbers
    for (const EventColumn& column : FindEventStream(Stream::kThreadWaits)->columns) {
      CHECK(column.role != ColumnRole::kString);
    }
  }
}

}  // namespace
}  // namespace gprofx
