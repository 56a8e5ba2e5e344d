#include "large_job.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/views/call_tree.h"

namespace gprofx::bench {
namespace {

constexpr uint32_t kNodes = 30'000, kHotNodes = 20'000, kSites = 400, kKernelNames = 60;
constexpr uint32_t kOptimizerSites = 20;
constexpr int64_t kTicks = 997, kSteps = 10;  // of a second
constexpr HostNs kPeriod = kSecond / kTicks;

FrameId FrameOf(Profile& profile, FrameKind kind, const std::string& name,
                const std::string& file = "", uint32_t line = 0) {
  Function function;
  function.name = profile.Intern(name);
  function.file = profile.Intern(file);
  Frame frame;
  frame.kind = kind;
  frame.function = profile.Intern(function);
  frame.line = line;
  return profile.Intern(frame);
}

FrameId CodeFrame(Profile& profile, uint32_t i) {
  const std::string place = std::to_string(i / 40), name = std::to_string(i / 3);
  const uint32_t line = i % 500 + 1;
  if (i % 3 == 0) {
    return FrameOf(profile, FrameKind::kPython, "Layer.forward_" + name,
                   "/home/user/model_" + place + ".py", line);
  }
  return FrameOf(profile, FrameKind::kNative, "at::native::some_function_with_a_name_" + name,
                 "/usr/src/pytorch/aten/file_" + place + ".cpp", line);
}

FrameId KernelFrame(Profile& profile, uint32_t i) {
  return FrameOf(profile, FrameKind::kGpuKernel,
                 "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_" +
                     std::to_string(i) + "<float>, std::array<char*, 3ul> >(int, float*)");
}

}  // namespace

LargeJob::LargeJob(uint32_t threads) : threads_(threads), at_(threads, 2) {
  profile.meta = {{"clock", "cpu"}, {"complete", "yes"}, {"rate_reached_hz", "997"}};
  profile.processes.push_back(
      {1000, 0, profile.Intern("train.py"), profile.Intern("python3 train.py")});
  for (uint32_t i = 0; i < threads_; ++i) {
    profile.threads.push_back(
        {ProcessId{1}, 1000 + i, profile.Intern("worker " + std::to_string(i))});
  }
  MakeTree();
  cpu_ = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  samples_ = profile.AddMetric("samples", "count", MetricKind::kSampled);
  gpu_ = profile.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  operations_ = profile.AddMetric(kMetricGpuOps, "count", MetricKind::kExact);
  overlapped_ = profile.AddMetric(kMetricGpuOverlapped, "ns", MetricKind::kExact);
  MakeGpu();
}

void LargeJob::MakeTree() {
  std::mt19937 random(1);
  std::vector<FrameId> frames;
  for (uint32_t i = 0; i < 8000; ++i) frames.push_back(CodeFrame(profile, i));
  while (profile.nodes.size() < kNodes) {
    const NodeId parent{1 + static_cast<uint32_t>(random() % profile.nodes.size())};
    profile.Child(parent, frames[random() % frames.size()]);
  }
}

void LargeJob::MakeGpu() {
  profile.gpu.devices.emplace_back().name = profile.Intern("Bench GPU");
  profile.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
  for (uint32_t i = 0; i < 2; ++i) profile.gpu.streams.push_back({GpuContextId{1}, 7 + i, 0});
  const FrameId step =
      FrameOf(profile, FrameKind::kPython, "AdamW.step", "/x/torch/optim/adamw.py", 80);
  const NodeId optimizer = profile.Child(NodeId{1000}, step);
  for (uint32_t i = 0; i < kSites; ++i) {
    const bool is_model = i < kSites - kOptimizerSites;
    const NodeId launch = is_model ? NodeId{1000 + i * 37 % 997} : optimizer;
    const FrameId line = FrameOf(profile, FrameKind::kPython, "line_" + std::to_string(i));
    kernel_nodes_.push_back(
        profile.Child(profile.Child(launch, line), KernelFrame(profile, i % kKernelNames)));
  }
  for (uint32_t i = 0; i < kKernelNames; ++i) {
    const FrameId frame = profile.node(kernel_nodes_[i]).frame;
    profile.gpu.configs.push_back({profile.frame(frame).function, {i + 1, 1, 1}, {256, 1, 1}});
  }
}

int64_t LargeJob::samples_per_second() const { return kTicks * threads_; }

// Popularity falls with the fourth power of a node's place.
uint32_t LargeJob::SkewedNode() {
  const double u = std::uniform_real_distribution<double>(0, 1)(random_);
  return 2 + static_cast<uint32_t>(u * u * u * u * (kHotNodes - 1)) * 7919 % kHotNodes;
}

std::vector<SampleRow> LargeJob::SamplesOfSecond(int64_t second) {
  std::normal_distribution<double> jitter(0, 20'000);  // ns
  std::vector<SampleRow> rows;
  rows.reserve(static_cast<size_t>(samples_per_second()));
  for (int64_t tick = 0; tick < kTicks; ++tick) {
    for (uint32_t i = 0; i < threads_; ++i) {
      if (random_() % 4 != 0) at_[i] = SkewedNode();
      SampleRow row;
      row.time = second * kSecond + tick * kPeriod + static_cast<HostNs>(std::abs(jitter(random_)));
      row.thread.value = i + 1;
      row.node.value = at_[i];
      row.weight = static_cast<uint32_t>(kPeriod);
      row.state = at_[i] % 3 == 0 ? kStateGilReleased : kStateGilHeld;
      profile.AddSelf(row.node, row.thread, cpu_, row.weight);
      profile.AddSelf(row.node, row.thread, samples_, 1);
      rows.push_back(row);
    }
  }
  profile.sample_rows += samples_per_second();
  return rows;
}

EventTable LargeJob::KernelsOfSecond(int64_t second, int64_t count) {
  std::normal_distribution<double> noise(1, 0.03);
  EventTable kernels(Stream::kKernels);
  const int64_t of_step = std::max<int64_t>(count / kSteps, 1);
  const HostNs begin = second * kSecond;
  for (int64_t i = 0; i < count; ++i) {
    // The optimizer has the end of each step, whatever its length.
    const int64_t in_step = i % of_step, left = of_step - 1 - in_step;
    const auto site = static_cast<uint32_t>(
        left < kOptimizerSites ? kSites - 1 - left : in_step % (kSites - kOptimizerSites));
    const uint32_t stream = site % 2;
    const HostNs launch = begin + i * (kSecond / count),
                 start = std::max(gpu_free_[stream], launch + 4'000);
    const auto duration =
        static_cast<HostNs>((2'000 + site * 997 % 120'000) * std::abs(noise(random_)));
    gpu_free_[stream] = start + duration;
    const ThreadId thread{1 + (site / (kSites / 2)) % threads_};
    kernels.Append(KernelEvent{start, duration, launch, thread, kernel_nodes_[site],
                               GpuStreamId{1 + stream}, GpuConfigId{1 + site % kKernelNames},
                               ++launches_, 0});
    profile.AddSelf(kernel_nodes_[site], thread, gpu_, duration);
    profile.AddSelf(kernel_nodes_[site], thread, operations_, 1);
    overlap_.Add(ProcessId{1}, GpuDeviceId{1}, start, start + duration, kernel_nodes_[site],
                 thread);
  }
  return kernels;
}

void LargeJob::Describe(int64_t seconds, int64_t working_from) {
  const HostNs end = seconds * kSecond;
  profile.meta["duration_ns"] = std::to_string(end);
  // As a recorder counts them; all code of this job has names.
  const int64_t cpu = MetricSum(profile, cpu_);
  profile.quality = {{"samples", MetricSum(profile, samples_)},
                     {"cpu_accounted_ns", cpu},
                     {"cpu_measured_ns", cpu},
                     {"unsymbolized_ns", 0}};
  if (launches_ == 0) return;
  overlap_.Finish([this](NodeId node, ThreadId thread, int64_t ns) {
    profile.AddSelf(node, thread, overlapped_, ns);
  });
  profile.gpu.wall = {{"gpu.compute", end}};
  profile.gpu.lanes = {{ProcessId{1},
                        GpuDeviceId{1},
                        working_from * kSecond,
                        end,
                        0,
                        {{"gpu.compute", end - working_from * kSecond}}}};
}

}  // namespace gprofx::bench
