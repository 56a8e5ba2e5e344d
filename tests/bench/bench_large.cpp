// Writes a large recording of a training job, for measuring whoever reads it.
//
//   bench_large FILE [SAMPLES [KERNELS]]      default: 10,000,000 samples, 1,000,000 kernels
//
// 16 threads at 997 Hz; a tree of 30,000 nodes whose popularity is skewed, every third one Python;
// one stream of kernels from 400 call paths in the order of the model, launched by two threads, in
// steps of 100 ms between a start-up and an end without GPU work.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "formats/profile_db.h"

namespace {

using namespace gprofx;

constexpr uint32_t kThreads = 16, kNodes = 30'000, kHotNodes = 20'000, kSites = 400, kKernelNames = 60;
constexpr HostNs kSecond = 1'000'000'000, kPeriod = kSecond / 997;

void Require(const Status& status) {
  if (status) return;
  fprintf(stderr, "%s\n", status.error().Text().c_str());
  exit(1);
}

struct Job {
  Profile profile;
  std::vector<NodeId> kernel_nodes;
  MetricId cpu, samples, gpu, operations;
};

FrameId CodeFrame(Profile& profile, int i) {
  const bool python = i % 3 == 0;
  Function function;
  function.name = profile.Intern((python ? "Layer.forward_" : "at::native::some_function_") + std::to_string(i / 3));
  function.file = profile.Intern((python ? "/home/user/model_" : "/usr/src/pytorch/aten/file_") +
                                 std::to_string(i / 40) + (python ? ".py" : ".cpp"));
  Frame frame;
  frame.kind = python ? FrameKind::kPython : FrameKind::kNative;
  frame.function = profile.Intern(function);
  frame.line = static_cast<uint32_t>(i % 500 + 1);
  return profile.Intern(frame);
}

FrameId KernelFrame(Profile& profile, uint32_t i) {
  Function function;
  function.name = profile.Intern("void kernel_" + std::to_string(i) + "<float, " + std::to_string(i) + ">(float*)");
  Frame frame;
  frame.kind = FrameKind::kGpuKernel;
  frame.function = profile.Intern(function);
  return profile.Intern(frame);
}

void MakeJob(Job& job) {
  Profile& profile = job.profile;
  std::mt19937 random(1);
  profile.meta = {{"clock", "cpu"}, {"complete", "yes"}};
  profile.processes.push_back({1, 0, profile.Intern("train.py"), profile.Intern("python3 train.py")});
  for (uint32_t i = 0; i < kThreads; ++i) {
    profile.threads.push_back({ProcessId{1}, 100 + i, profile.Intern("worker " + std::to_string(i))});
  }
  std::vector<FrameId> frames;
  for (int i = 0; i < 8000; ++i) frames.push_back(CodeFrame(profile, i));
  while (profile.nodes.size() < kNodes) {
    const NodeId parent{1 + static_cast<uint32_t>(random() % profile.nodes.size())};
    profile.Child(parent, frames[random() % frames.size()]);
  }
  for (uint32_t i = 0; i < kSites; ++i) {
    const NodeId launch{1000 + i * 37 % 997};
    job.kernel_nodes.push_back(profile.Child(launch, KernelFrame(profile, i % kKernelNames)));
  }
  job.cpu = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  job.samples = profile.AddMetric("samples", "count", MetricKind::kSampled);
  job.gpu = profile.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  job.operations = profile.AddMetric(kMetricGpuOps, "count", MetricKind::kExact);
  profile.gpu.devices.emplace_back().name = profile.Intern("Bench GPU");
  profile.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
  profile.gpu.streams.push_back({GpuContextId{1}, 7, 0});
  for (uint32_t i = 0; i < kKernelNames; ++i) {
    const FrameId frame = profile.node(job.kernel_nodes[i]).frame;
    profile.gpu.configs.push_back({profile.frame(frame).function, {i + 1, 1, 1}, {256, 1, 1}});
  }
}

// Popularity falls with the fourth power of a node's place: a handful takes half of the time.
uint32_t SkewedNode(std::mt19937_64& random) {
  const double u = std::uniform_real_distribution<double>(0, 1)(random);
  return 2 + static_cast<uint32_t>(u * u * u * u * (kHotNodes - 1)) * 7919 % kHotNodes;
}

std::vector<SampleRow> SamplesOfOneSecond(std::mt19937_64& random, HostNs begin, std::vector<uint32_t>& nodes) {
  std::vector<SampleRow> rows;
  for (int tick = 0; tick < 997; ++tick) {
    for (uint32_t i = 0; i < kThreads; ++i) {
      if (random() % 4 != 0) nodes[i] = SkewedNode(random);
      SampleRow row;
      row.time = begin + tick * kPeriod + static_cast<HostNs>(random() % 40'000);
      row.thread.value = i + 1;
      row.node.value = nodes[i];
      row.weight = static_cast<uint32_t>(kPeriod);
      row.state = nodes[i] % 3 == 0 ? kStateGilReleased : kStateGilHeld;
      rows.push_back(row);
    }
  }
  return rows;
}

// Ten steps, the call paths of each in the order of the model.
void AddKernels(Job& job, std::mt19937_64& random, HostNs begin, int64_t count, EventTable& kernels) {
  std::normal_distribution<double> noise(0, 0.03);
  constexpr int64_t kSteps = 10;
  HostNs free = begin;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t step = i * kSteps / count, in_step = i - (step * count + kSteps - 1) / kSteps;
    const auto site = static_cast<uint32_t>(in_step % kSites);
    const HostNs launch = begin + i * (kSecond / count);
    const auto duration = static_cast<HostNs>((2'000 + site * 997 % 120'000) * (1 + noise(random)));
    const HostNs start = std::max(free, launch + 4'000);
    free = start + duration;
    kernels.Append(KernelEvent{start, duration, launch, ThreadId{1 + site / (kSites / 2)}, job.kernel_nodes[site],
                               GpuStreamId{1}, GpuConfigId{1 + site % kKernelNames}, static_cast<uint32_t>(i), 0});
    job.profile.AddSelf(job.kernel_nodes[site], ThreadId{1 + site / (kSites / 2)}, job.gpu, duration);
    job.profile.AddSelf(job.kernel_nodes[site], ThreadId{1 + site / (kSites / 2)}, job.operations, 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fprintf(stderr, "usage: bench_large FILE [SAMPLES [KERNELS]]\n"), 2;
  const int64_t samples = argc > 2 ? atoll(argv[2]) : 10'000'000;
  const int64_t kernels = argc > 3 ? atoll(argv[3]) : 1'000'000;
  Job job;
  MakeJob(job);
  Result<ProfileWriter> writer = ProfileWriter::Create(argv[1]);
  if (!writer) Require(writer.error());
  Require(writer->Commit(job.profile));
  const int64_t seconds = std::max<int64_t>(1, samples / (997 * kThreads));
  const int64_t working = std::max<int64_t>(1, seconds * 9 / 10), first = seconds - working;
  std::mt19937_64 random(2);
  std::vector<uint32_t> nodes(kThreads, 2);
  for (int64_t second = 0; second < seconds; ++second) {
    std::vector<SampleRow> rows = SamplesOfOneSecond(random, second * kSecond, nodes);
    for (const SampleRow& row : rows) {
      job.profile.AddSelf(row.node, row.thread, job.cpu, row.weight);
      job.profile.AddSelf(row.node, row.thread, job.samples, 1);
    }
    writer->AppendSamples(rows);
    if (second >= first) {
      EventTable events(Stream::kKernels);
      AddKernels(job, random, second * kSecond, std::max<int64_t>(1, kernels / working), events);
      writer->AppendEvents(events);
    }
    if (second % 10 == 0) Require(writer->Commit(job.profile));
  }
  job.profile.meta["duration_ns"] = std::to_string(seconds * kSecond);
  job.profile.sample_rows = samples;
  Require(writer->Finish(job.profile, {}));
  return 0;
}
