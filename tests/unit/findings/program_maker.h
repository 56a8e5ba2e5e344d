// A program on a GPU, made by hand: what its host does call by call, and what the GPU does with it.
// Two of them, as written and repaired, say by how much a step got shorter.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "../kernel_names.h"
#include "core/events/finding_events.h"
#include "core/findings/findings.h"
#include "core/gpu/gpu_work.h"
#include "core/model/profile.h"

namespace gprofx::testing {
using namespace gprofx::findings;
using namespace gprofx::analyses;

class ProgramMaker {
 public:
  ProgramMaker();

  // Call paths. Python lines are those of /home/ada/train.py.
  FrameId Python(std::string_view function, uint32_t line,
                 std::string_view file = "/home/ada/train.py");
  FrameId Native(std::string_view function, std::string_view library = "/opt/libtorch_cuda.so");
  FrameId Idle();
  NodeId Node(std::initializer_list<FrameId> path);
  NodeId Line(uint32_t line) { return Node({Python("step", line)}); }

  // The host computes, waits where `node` is, or is kept off the CPU without a sample.
  void Host(int64_t ns, NodeId node, uint8_t state = kStateGilHeld);
  void Off(int64_t ns) { host_ += ns; }
  // The host was seen to wait, in the middle of the last `ns`.
  void SeenWaiting(int64_t ns, NodeId node) {
    events_.waits.push_back({host_ - ns / 2, thread, node});
  }
  // One sample, which stands for `ns`, of what the host does at this moment.
  void Sample(int64_t ns, NodeId node);
  // Another thread runs Python for the last `ns`.
  void Other(int64_t ns, NodeId node);
  void Kernel(NodeId at, std::string_view name, int64_t ns, uint32_t stream = 1,
              uint32_t grid = 1024);
  // The call lasts until the copy has ended where `blocks`.
  void Copy(NodeId at, int64_t bytes, CopyMemory memory, int64_t ns, bool blocks);
  void Wait(NodeId at, std::string_view call = "cuStreamSynchronize");
  void Call(NodeId at, std::string_view call, int64_t ns);
  void Step();     // begins one
  void EndStep();  // before the next one begins

  // What is found; the program cannot go on.
  FindingReport Find();
  double step_ns() const;  // mean

  Profile profile;
  ThreadId thread, other;
  bool wall = false;
  bool whole = false;     // all of the recording is shown, not the steps alone
  uint32_t warm_up = 0;   // so many of the first steps are not shown
  bool imported = false;  // a trace of another tool: each launch has its length, calls have no rows
  int64_t launch_ns = 7'000;  // of kernels, in such a trace
  double traced = 1;          // of the time, records are made: at its begin

 private:
  void Forget(HostNs from);
  void Add(PhaseOperation operation, int64_t ns, uint32_t stream);
  HostNs Free() const;

  GpuWorkEvents work_;
  std::vector<PhaseOperation> copies_;
  std::vector<int64_t> copy_calls_;  // how long each took
  FindingEvents events_;
  std::vector<HostNs> begins_, ends_;  // of steps; an end of 0 = the next begin
  HostNs host_ = 1'000'000;
  HostNs free_[3] = {};
  MetricId gpu_;
};

const Inefficiency* FindRow(const FindingReport& report, std::string_view rule);

inline constexpr CopyMemory kPageableToGpu{1, 1, 3}, kPinnedToGpu{1, 2, 3}, kGpuToPageable{2, 3, 1};

}  // namespace gprofx::testing
