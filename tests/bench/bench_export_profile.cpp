// Writes a large recording of a training job that never was, for tests/bench/bench_export.py.
//
//   bench_export_profile FILE [SAMPLES [KERNELS]]      default: 10,000,000 samples, 1,000,000 kernels
//
// 16 threads at 997 Hz, 30,000 call paths of some 20 frames, a handful of which take half of the
// time; two threads that launch 400 kinds of kernels in about the order of a model.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "formats/profile_db.h"

namespace {

using namespace gprofx;

constexpr uint32_t kThreads = 16, kNodes = 30000, kSites = 400;
constexpr HostNs kSecond = 1'000'000'000, kPeriod = kSecond / 997;

void Require(const Status& status) {
  if (status) return;
  fprintf(stderr, "%s\n", status.error().Text().c_str());
  exit(1);
}

void AddTree(Profile& profile, std::mt19937_64& random) {
  std::vector<FrameId> frames;
  for (uint32_t i = 0; i < 8000; ++i) {
    Function function;
    function.name = profile.Intern("at::native::a_function_with_a_name_" + std::to_string(i / 3));
    function.file = profile.Intern("/usr/src/pytorch/aten/file_" + std::to_string(i / 40) + ".cpp");
    Frame frame;
    frame.kind = FrameKind::kNative;
    frame.function = profile.Intern(function);
    frame.line = i;
    frames.push_back(profile.Intern(frame));
  }
  NodeId last = profile.root();
  while (profile.nodes.size() < kNodes) {
    if (random() % 16 == 0) last = NodeId{1 + static_cast<uint32_t>(random() % profile.nodes.size())};
    last = profile.Child(last, frames[random() % frames.size()]);
  }
}

void AddGpu(Profile& profile, std::vector<NodeId>& sites, std::mt19937_64& random) {
  profile.gpu.devices.emplace_back();
  profile.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
  for (uint32_t i = 0; i < 2; ++i) profile.gpu.streams.push_back({GpuContextId{1}, 7 + i, 0});
  for (uint32_t i = 0; i < kSites; ++i) {
    Function function;
    function.name = profile.Intern(
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
        "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>) " +
        std::to_string(i));
    Frame frame;
    frame.kind = FrameKind::kGpuKernel;
    frame.function = profile.Intern(function);
    const NodeId stack{1 + static_cast<uint32_t>(random() % kNodes)};
    sites.push_back(profile.Child(stack, profile.Intern(frame)));
    profile.gpu.configs.push_back({frame.function, {i + 1, 1, 1}, {256, 1, 1}, 32, 0, 1024, 0});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: bench_export_profile FILE [SAMPLES [KERNELS]]\n");
    return 2;
  }
  const int64_t samples = argc > 2 ? atoll(argv[2]) : 10'000'000;
  const int64_t kernels = argc > 3 ? atoll(argv[3]) : 1'000'000;
  std::mt19937_64 random(1);
  Profile profile;
  profile.processes.push_back({1000, 0, profile.Intern("train.py"), profile.Intern("python3 train.py")});
  for (uint32_t i = 0; i < kThreads; ++i) {
    profile.threads.push_back({ProcessId{1}, 1000 + i, profile.Intern("worker")});
  }
  std::vector<NodeId> sites;
  AddTree(profile, random);
  AddGpu(profile, sites, random);
  const MetricId cpu = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  const MetricId count = profile.AddMetric("samples", "count", MetricKind::kSampled);
  const MetricId gpu = profile.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  const MetricId operations = profile.AddMetric(kMetricGpuOps, "count", MetricKind::kExact);
  Result<ProfileWriter> writer = ProfileWriter::Create(argv[1]);
  if (!writer) Require(writer.error());

  const int64_t seconds = samples / (kThreads * 997) + 1;
  std::normal_distribution<double> jitter(0, 20000), noise(1, 0.03);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<uint32_t> at(kThreads, 1);
  HostNs gpu_free = 0;
  for (int64_t second = 0, written = 0, launched = 0; second < seconds; ++second) {
    std::vector<SampleRow> rows;
    for (int64_t tick = 0; tick < 997; ++tick) {
      for (uint32_t i = 0; i < kThreads && written < samples; ++i, ++written) {
        const double u = uniform(random);
        if (random() % 4 != 0) at[i] = 2 + static_cast<uint32_t>(u * u * u * u * 20000) * 7919 % (kNodes - 2);
        const auto late = static_cast<HostNs>(std::abs(jitter(random)));
        rows.push_back({second * kSecond + tick * kPeriod + late, ThreadId{1 + i}, NodeId{at[i]},
                        static_cast<uint32_t>(kPeriod - late % 7), kStateGilHeld});
        profile.AddSelf(rows.back().node, rows.back().thread, cpu, rows.back().weight);
        profile.AddSelf(rows.back().node, rows.back().thread, count, 1);
      }
    }
    writer->AppendSamples(rows);
    EventTable events(Stream::kKernels);
    HostNs launch = second * kSecond;
    for (int64_t i = 0; launched < kernels && i < kernels / seconds + 1; ++i, ++launched) {
      const auto site = static_cast<uint32_t>((launched + static_cast<int64_t>(random() % 8)) % kSites);
      launch += kSecond / (kernels / seconds + 2);
      const HostNs start = std::max(gpu_free, launch + 4000);
      const auto duration = static_cast<HostNs>((2000 + site * 997 % 150000) * std::abs(noise(random)));
      gpu_free = start + duration;
      const ThreadId thread{1 + site / (kSites / 2)};
      events.Append(KernelEvent{start, duration, launch, thread, sites[site], GpuStreamId{1 + site % 2},
                                GpuConfigId{1 + site}, static_cast<uint32_t>(launched + 1), 0});
      profile.AddSelf(sites[site], thread, gpu, duration);
      profile.AddSelf(sites[site], thread, operations, 1);
    }
    writer->AppendEvents(events);
    if (second % 60 == 59) Require(writer->Commit(profile));
  }
  profile.sample_rows = samples;
  profile.meta["duration_ns"] = std::to_string(seconds * kSecond);
  profile.meta["rate_reached_hz"] = "997";
  Require(writer->Finish(profile, {}));
  return 0;
}
