// Estimates the duration of GPU work that was recorded only part of the time. Launches are counted
// all the time, with their call paths; GPU work is recorded only in windows.
//
// Method: recorded work counts as it is. A launch without a record is assumed to take the mean of
// the launches of the same call path and process that have one. What was launched before the first
// gap in the records is a separate part, because a starting program is no sample of its later
// behaviour. If a part has no record of a path, those of the other part are used.
//
// The standard error is that of a mean of T recorded runs applied to U launches without a record:
// with a standard deviation s of the duration of one launch (0 if it ran another kernel), it is
// s * sqrt(U^2 / T + U). Windows are placed at random, launches are not, so neighbours may be
// alike. For W windows, W / (W - 1) times the sum of the squared deviations of the windows from the
// mean of a run therefore replaces s^2 * T if it is larger (a cluster sample; Cochran, Sampling
// Techniques, 9A), and is widened by Student's t if there are few windows. All paths of a kernel
// may deviate in the same windows, for example if another stream uses a part of the GPU. If the
// windows of a kernel deviate more than its paths imply on their own, the errors of the paths are
// raised accordingly. If a path has a single recorded run, its duration stands for s. Launches of a
// path that was never recorded are counted, without a time. Pure; one thread.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/base/hash.h"
#include "core/model/ids.h"
#include "core/model/profile.h"

namespace gprofx {

class GpuEstimates {
 public:
  // `window`: the number of gaps in the records that had begun in the process before the launch.

  // AddLaunch adds a launch from this call path. If the launch has records, call AddTraced for it
  // too, once.
  void AddLaunch(NodeId path, ProcessId process, uint32_t window);
  void AddTraced(NodeId path, ProcessId process, uint32_t window);
  struct Place {
    NodeId node, path;  // of the work; of the launch above it, 0 = unknown
    FrameId kernel;     // frame of `node`
    ThreadId thread;
    ProcessId process;
  };
  // Both add recorded work. AddSeen adds it to the totals. AddSample uses it as a sample of how
  // long the work of a launch from its path takes; call it mostly in the order of windows.
  void AddSeen(const Place& place, int64_t ns, int64_t runs);
  void AddSample(const Place& place, uint32_t window, int64_t ns);

  struct Row {
    NodeId node;
    ThreadId thread;
    double ns = 0, runs = 0, error = 0;
  };
  // Returns a row for each node and thread, in their order. Paths without any record use the means
  // of `elsewhere`.
  std::vector<Row> Rows(const GpuEstimates* elsewhere = nullptr) const;
  // True if the path was launched in at least one of the two parts and has no record there.
  bool NeedsSamples(NodeId path, ProcessId process) const;
  bool any_traced() const;

  // Adds metrics kMetricGpuEstimated, kMetricGpuOpsEstimated and kMetricGpuError to the profile,
  // and quality gpu_traced_launches and gpu_untraced_launches (launches from paths that were never
  // recorded). Call once, at the end.
  void Publish(Profile& profile) const;

 private:
  enum Part { kFirst, kLater, kParts };  // before and after the begin of the first gap
  struct Counts {
    int64_t launches = 0, traced = 0;
    int64_t unseen() const { return launches > traced ? launches - traced : 0; }
  };
  using Path = std::array<Counts, kParts>;
  struct Sums {
    int64_t runs = 0;
    double ns = 0, squares = 0;
    void Add(double run_ns);
    double Mean() const { return runs == 0 ? 0 : ns / static_cast<double>(runs); }
  };
  // Sums over windows: of the squares of their durations and of their runs, and of the products.
  struct Windows {
    uint32_t count = 0;
    double ns_squares = 0, products = 0, run_squares = 0;
    void Add(const Sums& window);
    double Squares(double mean) const;  // squared deviations from it; 0 = none to compare
  };
  struct Work {
    Place place;
    int64_t seen_runs = 0;
    double seen_ns = 0;
    std::array<double, kParts> sample_ns = {}, sample_runs = {};
  };
  // Duration of the launches of a path at a node, over all threads of the process.
  struct Sample {
    Place place;
    std::array<Sums, kParts> parts;
    uint32_t window = 0;  // that of `latest`
    Sums latest;
    Windows windows;  // of kLater, without the latest one
    double Squares(Part part, int64_t traced) const;
  };
  // For kLater: by how much all work of a kernel in one window deviated from the means of its paths
  // up to then.
  struct Kernel {
    uint32_t window = 0, count = 0;
    double off = 0, squares = 0;
    void Add(uint32_t of_window, double run_off);
    double Squares() const;
  };
  template <class T>
  using ByKey = std::unordered_map<uint64_t, T, NumbersHash>;
  class Source;

  ByKey<Path> paths_;      // by path and process
  ByKey<Work> work_;       // by node and thread
  ByKey<Sample> samples_;  // by node and process
  ByKey<Kernel> kernels_;  // by kernel and process
};

}  // namespace gprofx
