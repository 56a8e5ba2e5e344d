#include "made_recording.h"

namespace gprofx::testing {
namespace {

constexpr int64_t kUs = 1000;

}  // namespace

MadeRecording::MadeRecording() {
  Process process;
  process.pid = 7;
  profile.processes.push_back(process);
  for (int64_t tid : {7, 8}) {
    Thread thread;
    thread.process = ProcessId{1};
    thread.tid = tid;
    profile.threads.push_back(thread);
  }
  GpuDevice device;
  device.compute_major = 9;
  profile.gpu.devices.push_back(device);
  profile.gpu.contexts.push_back({ProcessId{1}, GpuDeviceId{1}, 1});
  for (uint32_t number : {7, 8, 9}) profile.gpu.streams.push_back({GpuContextId{1}, number, 0});
  window.process = ProcessId{1};
}

NodeId MadeRecording::Path(std::string_view function, uint32_t line) {
  Function row;
  row.name = profile.Intern(function);
  row.file = profile.Intern("/job/train.py");
  Frame frame;
  frame.kind = FrameKind::kPython;
  frame.function = profile.Intern(row);
  frame.line = line;
  return profile.Child(profile.root(), profile.Intern(frame));
}

NodeId MadeRecording::Kernel(std::string_view name, NodeId above) {
  Function row;
  row.name = profile.Intern(name);
  Frame frame;
  frame.kind = FrameKind::kGpuKernel;
  frame.function = profile.Intern(row);
  return profile.Child(above, profile.Intern(frame));
}

ReplayOperation& MadeRecording::Run(NodeId node, int64_t launch_us, int64_t start_us,
                                    int64_t length_us, uint32_t stream, ThreadId thread) {
  ReplayOperation row;
  row.node = node;
  row.launch = launch_us * kUs;
  row.start = start_us * kUs;
  row.end = row.start + length_us * kUs;
  row.stream = GpuStreamId{stream};
  row.thread = thread;
  events.operations.push_back(row);
  return events.operations.back();
}

ReplayOperation& MadeRecording::Copy(NodeId above, uint8_t kind, uint8_t source, uint8_t target,
                                     int64_t bytes, int64_t launch_us, int64_t start_us,
                                     int64_t length_us) {
  ReplayOperation& row = Run(above, launch_us, start_us, length_us);
  row.kind = ReplayOperation::kCopy;
  row.copy = {kind, source, target};
  row.bytes = bytes;
  return row;
}

void MadeRecording::Wait(NodeId above, int64_t begin_us, int64_t end_us) {
  Function row;
  row.name = profile.Intern("cuStreamSynchronize");
  Frame frame;
  frame.kind = FrameKind::kCudaApi;
  frame.function = profile.Intern(row);
  events.calls.push_back({begin_us * kUs, end_us * kUs, ThreadId{1},
                          profile.Child(above, profile.Intern(frame)), row.name});
}

void MadeRecording::Steps(std::vector<int64_t> bounds_us) {
  StepTrain train;
  train.process = ProcessId{1};
  window.bounds.clear();
  for (const int64_t us : bounds_us) {
    if (!window.bounds.empty()) train.steps.push_back({window.bounds.back(), us * kUs});
    window.bounds.push_back(us * kUs);
  }
  profile.phases.trains = {train};
}

}  // namespace gprofx::testing
