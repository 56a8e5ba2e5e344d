// What GPU work took of which only a part was traced: launches are counted all the time, with their
// call paths; records of what ran are made in windows.
//
// Method: the work below a call path is that of its traced launches times (all launches / traced
// launches). A kernel's time is the sum over the call paths that launched it. Its standard error is
// that of a mean of so many traced runs, used for so many that were not: with L launches, T of them
// traced, and a standard deviation s of the time of one run, s * sqrt((L - T)^2 / T + (L - T)). Where
// a path has a single traced run, its own time stands for s. A path that was never traced has no
// estimate; its launches are counted. Windows are placed at random, so runs are taken as a random
// sample. Pure; one thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "core/profile.h"

namespace gprofx {

class GpuEstimates {
 public:
  // A launch from this call path.
  void AddLaunch(NodeId path);
  // ... of which records came: once for each launch.
  void AddTraced(NodeId path);
  // A record: work at `node` of the tree, on behalf of `thread`, launched from `path`.
  void AddWork(NodeId node, ThreadId thread, NodeId path, int64_t ns);

  // Adds metrics kMetricGpuEstimated, kMetricGpuOpsEstimated and kMetricGpuError to the profile, and
  // quality gpu_traced_launches, gpu_untraced_launches: those from paths that were never traced.
  // Once, at the end.
  void Publish(Profile& profile) const;

 private:
  struct Path {
    int64_t launches = 0, traced = 0;
  };
  struct Work {
    NodeId node, path;
    ThreadId thread;
    int64_t runs = 0;
    double ns = 0, squares = 0;
  };
  struct Key {
    uint64_t node_and_path;
    uint32_t thread;
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    size_t operator()(const Key& key) const {
      return (key.node_and_path ^ uint64_t{key.thread} << 20) * 0x9e3779b97f4a7c15 >> 17;
    }
  };
  std::vector<Path> paths_;  // by NodeId::index()
  std::unordered_map<Key, Work, HashKey> work_;

  Path& PathOf(NodeId path);
};

}  // namespace gprofx
