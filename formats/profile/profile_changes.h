// What a profile gained since the last time, as one value: the profile may grow on while another
// thread writes it.
//
// Append-only tables are remembered by their length; rows that their owner edits by a copy. So
// taking the changes costs the rows that are new or changed, plus one comparison per value. Memory:
// 8 bytes per value, a copy of the process, thread, module and range rows, meta and quality. Pure;
// one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

template <class Row>
using Changed = std::vector<std::pair<uint32_t, Row>>;  // 1-based id and row

struct GpuChanges {
  Changed<GpuDevice> devices;
  Changed<GpuContext> contexts;
  Changed<GpuStreamRow> streams;
  Changed<GpuKernelConfig> configs;
  Changed<GpuCubin> cubins;
  Changed<SourceText> sources;
  std::optional<std::vector<WallPart>> wall;   // all parts anew
  std::optional<std::vector<WallLane>> lanes;  // all lanes anew
};

struct ProfileChanges {
  Changed<std::string_view> strings;  // of the profile, which must outlive this
  Changed<Function> functions;
  Changed<Frame> frames;
  Changed<Node> nodes;
  Changed<Metric> metrics;
  Changed<Process> processes;
  Changed<Thread> threads;
  Changed<Module> modules;
  Changed<LoadRange> ranges;
  Changed<Value> new_values;
  Changed<int64_t> selves;  // of values that were there before
  GpuChanges gpu;
  std::vector<std::pair<std::string, std::string>> meta;
  std::vector<std::pair<std::string, int64_t>> quality;
};

class ProfileTracker {
 public:
  // What differs from the last call, or from nothing. Whoever gets it must write it, in order.
  // `profile` is the same, growing object each time.
  ProfileChanges Take(const Profile& profile);

 private:
  struct Taken {
    size_t strings = 0, functions = 0, frames = 0, nodes = 0, metrics = 0;
    std::vector<Process> processes;
    std::vector<Thread> threads;
    std::vector<Module> modules;
    std::vector<LoadRange> ranges;
    std::vector<int64_t> values;
    std::map<std::string, std::string> meta;
    std::map<std::string, int64_t> quality;
    size_t configs = 0, cubins = 0, sources = 0;
    std::vector<GpuDevice> devices;
    std::vector<GpuContext> contexts;
    std::vector<GpuStreamRow> streams;
    std::vector<WallPart> wall;
    std::vector<WallLane> lanes;
  };

  void TakeValues(const std::vector<Value>& values, ProfileChanges& out);
  void TakeGpu(const GpuTables& gpu, GpuChanges& out);

  Taken taken_;
};

}  // namespace gprofx
