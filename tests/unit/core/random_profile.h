// Random raw profiles for property tests: Python, native (with and without names), unknown and
// marker frames, recursion, several threads and metrics.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "core/model/resolve.h"

namespace gprofx::test {

// A few rows of each GPU table; those of most interest to readers: two of what others point to.
inline void FillGpuTables(Profile& profile) {
  GpuTables& gpu = profile.gpu;
  const StringId text{1};
  gpu.devices = {{text, text, text, text, 9, 0, 132, 1980000000, 1 << 30, 4800000000},
                 {text, StringId{2}}};
  gpu.contexts = {{ProcessId{1}, GpuDeviceId{1}, 1}, {ProcessId{1}, GpuDeviceId{2}, 2}};
  gpu.streams = {{GpuContextId{1}, 7, -5}, {GpuContextId{2}, 13, 0}};
  for (uint32_t i = 0; i < 8; ++i) {
    gpu.configs.push_back({FunctionId{1 + i % 4}, {132, i, 1}, {128, 1, 1}, 64, i, 49152, 0});
  }
  gpu.cubins = {{0xfedcba9876543210, std::vector<std::byte>(100, std::byte{7})}, {5, {}}};
  gpu.sources = {{text, "@triton.jit"}, {StringId{2}, ""}};
  gpu.wall = {
      {"gpu.compute", 700, 50}, {"idle.sync.cuStreamSynchronize", 200}, {"idle.unexplained", 100}};
  const ProcessId process{1};
  gpu.lanes = {
      {process, GpuDeviceId{1}, 10, 510, 7, {{"gpu.communication", 400, 30}, {"idle.python", 100}}},
      {process, GpuDeviceId{2}, 20, 1000, 0, {}},
      {{}, {}, 0, 1, 0, {{"gpu.copy", 1}}}};
}

inline Profile RandomProfile(unsigned seed, uint32_t nodes, uint32_t threads = 3) {
  std::mt19937 random(seed);
  Profile profile;
  profile.processes.push_back({42, 1, profile.Intern("a.py"), profile.Intern("python3 a.py")});
  for (uint32_t i = 0; i < threads; ++i) {
    profile.threads.push_back(
        {ProcessId{1}, 42 + i, profile.Intern("worker " + std::to_string(i))});
  }
  for (int i = 0; i < 3; ++i) {
    profile.modules.push_back(
        {profile.Intern("/lib/m" + std::to_string(i)), profile.Intern("ab12")});
    profile.ranges.push_back({ProcessId{1}, ModuleId{1}, 0x1000, 0x1000, ~uint64_t{0}});
  }
  std::vector<FrameId> frames;
  for (uint32_t i = 0; i < 60; ++i) {
    Frame frame;
    if (i % 3 == 0) {
      Function function;
      function.name = profile.Intern("f" + std::to_string(i % 12));
      function.file = profile.Intern("a.py");
      frame.kind = FrameKind::kPython;
      frame.function = profile.Intern(function);
      frame.line = i % 5;
      frame.address = i;
    } else if (i % 20 == 1) {
      frame.kind = FrameKind::kUnknown;
      frame.address = ~uint64_t{0} - i;
    } else {
      frame.kind = FrameKind::kNative;
      frame.module = ModuleId{1 + i % 3};
      frame.address = 0x100 + i;
    }
    frames.push_back(profile.Intern(frame));
  }
  while (profile.nodes.size() < nodes) {
    const NodeId parent{1 + static_cast<uint32_t>(random() % profile.nodes.size())};
    profile.Child(parent, frames[random() % frames.size()]);
  }
  const MetricId cpu = profile.AddMetric("cpu", "ns", MetricKind::kSampled);
  const MetricId count = profile.AddMetric("samples", "count", MetricKind::kSampled);
  for (uint32_t i = 0; i < nodes * 2; ++i) {
    const NodeId node{1 + static_cast<uint32_t>(random() % profile.nodes.size())};
    const ThreadId thread{1 + static_cast<uint32_t>(random() % threads)};
    profile.AddSelf(node, thread, cpu, static_cast<int64_t>(random() % 2000000));
    profile.AddSelf(node, thread, count, 1);
  }
  FillGpuTables(profile);
  profile.meta["command"] = "python3 a.py";
  profile.quality["samples_lost"] = 3;
  return profile;
}

// Names for the even addresses of the first two modules; every fourth address has inlined
// functions.
inline std::vector<ModuleNames> RandomNames(const Profile& profile) {
  std::vector<ModuleNames> names(2);
  for (const Frame& frame : profile.frames) {
    if (frame.kind != FrameKind::kNative || frame.module.index() >= 2 || frame.address % 2)
      continue;
    std::vector<SourceFrame>& chain = names[frame.module.index()][frame.address];
    const std::string line_group = std::to_string(frame.address % 8);
    chain.push_back({"outer" + line_group, "m.cpp", 10, "m.cpp", 1});
    if (frame.address % 4 == 0) {
      chain.push_back({"middle", "m.h", 20, "", 0});
      chain.push_back({"inner", "m.h", 30, "m.h", 2});
    }
  }
  return names;
}

}  // namespace gprofx::test
