#include "program_maker.h"

#include <algorithm>
#include <functional>

namespace gprofx::testing {
namespace {

constexpr int64_t kLaunchDelay = 5'000, kGap = 1'000, kReturn = 3'000, kSample = 50'000;

}  // namespace

ProgramMaker::ProgramMaker() {
  Process process;
  process.pid = 10;
  process.end = INT64_C(1) << 50;
  profile.processes.push_back(process);
  for (const int64_t tid : {10, 11}) {
    Thread made;
    made.process = ProcessId{1};
    made.tid = tid;
    profile.threads.push_back(made);
  }
  thread = ThreadId{1};
  other = ThreadId{2};
  gpu_ = profile.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
  GpuDevice device;
  device.name = profile.Intern("NVIDIA H100 80GB HBM3");
  device.compute_major = 9;
  profile.gpu.devices.push_back(device);
  profile.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
  for (uint32_t i = 1; i <= 2; ++i) profile.gpu.streams.push_back({GpuContextId{1}, i, 0});
  profile.meta["clock"] = "cpu";
}

FrameId ProgramMaker::Python(std::string_view function, uint32_t line, std::string_view file) {
  Frame frame;
  frame.kind = FrameKind::kPython;
  frame.file = profile.Intern(file);
  frame.function = profile.Intern(Function{profile.Intern(function), frame.file, 1, ModuleId{}});
  frame.line = line;
  return profile.Intern(frame);
}

FrameId ProgramMaker::Native(std::string_view function, std::string_view library) {
  const StringId path = profile.Intern(library);
  auto found = std::find_if(profile.modules.begin(), profile.modules.end(),
                            [&](const Module& module) { return module.path == path; });
  if (found == profile.modules.end()) {
    profile.modules.push_back({path, StringId{}, 0});
    found = profile.modules.end() - 1;
  }
  Frame frame;
  frame.kind = FrameKind::kNative;
  frame.module = ModuleId{static_cast<uint32_t>(found - profile.modules.begin()) + 1};
  frame.function = profile.Intern(Function{profile.Intern(function), StringId{}, 0, frame.module});
  return profile.Intern(frame);
}

FrameId ProgramMaker::Idle() {
  Frame frame;
  frame.kind = FrameKind::kIdle;
  return profile.Intern(frame);
}

NodeId ProgramMaker::Node(std::initializer_list<FrameId> path) {
  NodeId node = profile.root();
  for (const FrameId frame : path) node = profile.Child(node, frame);
  return node;
}

void ProgramMaker::Host(int64_t ns, NodeId node, uint8_t state) {
  for (int64_t done = 0; done < ns; done += kSample) {
    const int64_t weight = std::min(kSample, ns - done);
    events_.samples.push_back(
        {host_ + done + weight / 2, thread, node, static_cast<uint32_t>(weight), state});
  }
  host_ += ns;
}

void ProgramMaker::Sample(int64_t ns, NodeId node) {
  events_.samples.push_back({host_, thread, node, static_cast<uint32_t>(ns), kStateGilReleased});
}

void ProgramMaker::Other(int64_t ns, NodeId node) {
  for (int64_t done = 0; done < ns; done += kSample) {
    events_.samples.push_back({host_ - ns + done, other, node, kSample, kStateGilHeld});
  }
}

HostNs ProgramMaker::Free() const { return std::max(free_[1], free_[2]); }

void ProgramMaker::Add(PhaseOperation operation, int64_t ns, uint32_t stream) {
  operation.launch = host_;
  operation.start = std::max(host_ + kLaunchDelay, free_[stream] + kGap);
  operation.end = operation.start + ns;
  operation.thread = thread;
  operation.stream = GpuStreamId{stream};
  free_[stream] = operation.end;
  profile.AddSelf(operation.node, thread, gpu_, ns);
  (operation.bytes > 0 ? copies_ : work_.operations).push_back(operation);
}

void ProgramMaker::Kernel(NodeId at, std::string_view name, int64_t ns, uint32_t stream,
                          uint32_t grid) {
  Frame frame;
  frame.kind = FrameKind::kGpuKernel;
  frame.function = profile.Intern(Function{profile.Intern(name), StringId{}, 0, ModuleId{}});
  GpuKernelConfig config;
  config.function = frame.function;
  config.grid[0] = grid;
  config.grid[1] = config.grid[2] = 1;
  profile.gpu.configs.push_back(config);
  work_.configs.push_back(GpuConfigId{static_cast<uint32_t>(profile.gpu.configs.size())});
  PhaseOperation operation;
  operation.node = profile.Child(at, profile.Intern(frame));
  Add(operation, ns, stream);
}

void ProgramMaker::Copy(NodeId at, int64_t bytes, CopyMemory memory, int64_t ns, bool blocks) {
  Frame frame;
  frame.kind = FrameKind::kGpuCopy;
  frame.function = profile.Intern(Function{profile.Intern("copy"), StringId{}, 0, ModuleId{}});
  PhaseOperation operation;
  operation.node = profile.Child(at, profile.Intern(frame));
  operation.bytes = bytes;
  events_.copies.push_back(memory);
  Add(operation, ns, 1);
  const HostNs end = blocks ? Free() + kReturn : host_;
  copy_calls_.push_back(end - host_);
  if (!blocks) return;
  if (!imported)
    events_.calls.push_back({host_, end - host_, thread, at, profile.Intern("cuMemcpyAsync")});
  host_ = end;
}

void ProgramMaker::Wait(NodeId at, std::string_view call) {
  Frame frame;
  frame.kind = FrameKind::kCudaApi;
  frame.function = profile.Intern(Function{profile.Intern(call), StringId{}, 0, ModuleId{}});
  const HostNs end = std::max(host_, Free()) + kReturn;
  events_.calls.push_back(
      {host_, end - host_, thread, profile.Child(at, profile.Intern(frame)), profile.Intern(call)});
  host_ = end;
}

void ProgramMaker::Call(NodeId at, std::string_view call, int64_t ns) {
  events_.calls.push_back({host_, ns, thread, at, profile.Intern(call)});
  host_ += ns;
}

void ProgramMaker::Step() {
  begins_.push_back(host_);
  ends_.push_back(0);
}

void ProgramMaker::EndStep() { ends_.back() = host_; }

double ProgramMaker::step_ns() const {
  const HostNs end = std::max(host_, Free());
  return static_cast<double>(end - begins_.front()) / static_cast<double>(begins_.size());
}

// Records of what is launched from a time on were never made.
void ProgramMaker::Forget(HostNs from) {
  const auto late = [&](const PhaseOperation& operation) { return operation.launch >= from; };
  const auto kept = [&](const std::vector<PhaseOperation>& operations) {
    return static_cast<size_t>(
        std::count_if(operations.begin(), operations.end(), std::not_fn(late)));
  };
  work_.configs.resize(kept(work_.operations));
  events_.copies.resize(kept(copies_));
  std::erase_if(work_.operations, late);
  std::erase_if(copies_, late);
  LevelWindow window;
  window.process = ProcessId{1};
  window.end = from;
  window.recording = window.traced = true;
  events_.windows.push_back(window);
}

FindingReport ProgramMaker::Find() {
  const HostNs end = std::max(host_, Free());
  if (traced < 1) {
    const HostNs begin = begins_.empty() ? 0 : begins_.front();
    Forget(begin + static_cast<HostNs>(traced * static_cast<double>(end - begin)));
  }
  if (wall) profile.meta["clock"] = "wall";
  events_.kernels = work_.operations.size();
  if (imported) {
    work_.launch_ns.assign(events_.kernels, launch_ns);
    work_.launch_ns.insert(work_.launch_ns.end(), copy_calls_.begin(), copy_calls_.end());
  }
  work_.operations.insert(work_.operations.end(), copies_.begin(), copies_.end());
  std::sort(events_.samples.begin(), events_.samples.end(),
            [](const SampleRow& a, const SampleRow& b) { return a.time < b.time; });
  StepTrain train;
  train.process = ProcessId{1};
  for (size_t i = 0; i < begins_.size(); ++i) {
    const HostNs next = i + 1 < begins_.size() ? begins_[i + 1] : end;
    train.steps.push_back({begins_[i], ends_[i] > 0 ? ends_[i] : next});
  }
  if (!begins_.empty()) {
    train.warm_up = warm_up;
    profile.phases.trains.push_back(train);
    ShownPart part;
    part.range = {begins_[warm_up], end};
    part.phase = PhaseKind::kSteady;
    part.steps = static_cast<uint32_t>(begins_.size()) - warm_up;
    part.first_step = warm_up + 1;
    if (!whole) profile.part = part;
  }
  return FindInefficiencies(AnalysisContext(profile, work_, "run"), events_);
}

const Inefficiency* FindRow(const FindingReport& report, std::string_view rule) {
  for (const Inefficiency& row : report.rows) {
    if (row.rule->id == rule) return &row;
  }
  return nullptr;
}

}  // namespace gprofx::testing
