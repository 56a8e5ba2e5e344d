// Collects what has changed in a profile since the last call. Another thread can write the result
// to the file while the profile grows.
//
// ProfileTracker remembers the length of tables that only grow, and keeps a copy of tables whose
// rows change. Taking the changes costs time for the new or changed rows, plus one comparison per
// value. Memory: 8 bytes per value, and a copy of meta, quality and the rows of processes, threads,
// modules and ranges. Pure; one thread.
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
  std::optional<std::vector<WallPart>> wall;   // all parts, if one of them changed
  std::optional<std::vector<WallLane>> lanes;  // all lanes, if one of them changed
};

struct ProfileChanges {
  Changed<std::string_view> strings;  // views into the profile, which must outlive this
  Changed<Function> functions;
  Changed<Frame> frames;
  Changed<Node> nodes;
  Changed<Metric> metrics;
  Changed<Process> processes;
  Changed<Thread> threads;
  Changed<Module> modules;
  Changed<LoadRange> ranges;
  Changed<Value> new_values;
  Changed<int64_t> selves;  // new self values of rows that were written before
  GpuChanges gpu;
  std::vector<std::pair<std::string, std::string>> meta;
  std::vector<std::pair<std::string, int64_t>> quality;
};

class ProfileTracker {
 public:
  // Returns the changes since the last call; the first call returns everything. The caller must
  // write every result, in the order of the calls. Pass the same, growing `profile` each time.
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
