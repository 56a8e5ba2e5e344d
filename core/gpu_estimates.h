// What GPU work took of which only a part was traced: launches are counted all the time, with
// their call paths; records of what ran are made in windows.
//
// Method: the work below a call path of a thread is that of its traced launches times (all
// launches / traced launches). A kernel's time is the sum over the call paths that launched it.
// What was launched before the first time without records is a part of its own, as a program that
// starts is no sample of what it does later; where one of the two parts has no record, both are
// one. The standard error is that of a mean of so many traced runs, used for so many that were
// not: with L launches, T of them traced, and a standard deviation s of what one launch took
// (nothing, where it ran another kernel), s * sqrt((L - T)^2 / T + (L - T)). Windows are placed at
// random, and not launches, so neighbours may be alike: s^2 * T is the sum of the squares by which
// windows are off the mean, W / (W - 1) times that for W windows, where it is more (a cluster
// sample; Cochran, Sampling Techniques, 9A). All paths of a kernel may be off in the same windows,
// as where another stream takes a part of the GPU: where its windows are further off than its
// paths by themselves say, these get as much more. Where a path has a single traced run, its own
// time stands for s. A path that was never traced has no estimate; its launches are counted. Pure;
// one thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "core/profile.h"

namespace gprofx {

class GpuEstimates {
 public:
  // `window`: how many times without records had begun when it was launched. Those of each process
  // are numbered by themselves.

  // A launch from this call path.
  void AddLaunch(NodeId path, ThreadId thread, uint32_t window);
  // ... of which records came: once for each launch.
  void AddTraced(NodeId path, ThreadId thread, uint32_t window);
  // A record: work at `node` of the tree, on behalf of `thread`, launched from `path`. Mostly in the
  // order of windows.
  struct Run {
    NodeId node, path;
    FrameId kernel;  // that of `node`
    ThreadId thread;
    uint32_t window = 0;
    int64_t ns = 0;
    int64_t runs = 1;  // 0: the rest of one that is counted elsewhere
  };
  void AddWork(const Run& run);

  struct Row {
    NodeId node;
    ThreadId thread;
    double ns = 0, runs = 0, error = 0;
  };
  // By node and thread. Where a path was launched here and never traced, its work is as in `elsewhere`.
  std::vector<Row> Rows(const GpuEstimates* elsewhere = nullptr) const;
  bool any_traced() const;

  // Adds metrics kMetricGpuEstimated, kMetricGpuOpsEstimated and kMetricGpuError to the profile, and
  // quality gpu_traced_launches, gpu_untraced_launches: those from paths that were never traced.
  // Once, at the end.
  void Publish(Profile& profile) const;

 private:
  struct Counts {
    int64_t launches = 0, traced = 0;
  };
  // Before the first time without records, and later.
  struct Path {
    ThreadId thread;
    uint32_t next = 0;  // of the same node, from 1; 0 = none
    Counts first, later;
    int64_t launches() const { return first.launches + later.launches; }
    int64_t traced() const { return first.traced + later.traced; }
  };
  struct Sums {
    int64_t runs = 0;
    double ns = 0, squares = 0;
    void Add(double its_ns, int64_t its_runs);
    void Add(const Sums& other);
    double MeanOr(double other) const;
  };
  // Sums over windows: of the squares of what they took and of their runs, and of the products.
  struct Windows {
    uint32_t count = 0;
    double ns_squares = 0, products = 0, run_squares = 0;
    void Add(const Sums& window);
  };
  // By how much all that ran in the latest window was off the means of its paths, and the squares of
  // that for those before.
  struct Kernel {
    uint32_t window = 0, count = 0;
    double off = 0, squares = 0;
    void Add(uint32_t of_window, double run_off);
    double Squares() const;
  };
  struct Work {
    NodeId node, path;
    FrameId kernel;
    ThreadId thread;
    uint32_t window = 0;  // that of `latest`
    Sums first, later, latest;
    Windows windows;  // of `later`, without the latest one
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
  struct Estimate {
    double ns = 0, runs = 0, variance = 0;
    double squares = 0;  // by which runs and windows are off their mean
    void Add(const Counts& launches, const Sums& work, const Windows& windows);
    // `more`: launches that were not seen, for one that was.
    void AddUnseen(double more, const Counts& launches, const Sums& work, const Windows& windows);
  };
  std::vector<uint32_t> first_path_;  // by NodeId::index(), from 1; 0 = none
  std::vector<Path> paths_;
  std::unordered_map<Key, Work, HashKey> work_;
  std::vector<Kernel> kernels_;  // by FrameId::index()

  const Path* Find(NodeId path, ThreadId thread) const;
  Counts& CountsOf(NodeId path, ThreadId thread, uint32_t window);
  Estimate EstimateOf(const Work& work) const;
  static Estimate Borrowed(const Work& work, const Path& there, int64_t launches);
};

}  // namespace gprofx
