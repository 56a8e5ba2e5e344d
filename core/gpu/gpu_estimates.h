// What GPU work took of which only a part was traced: launches are counted all the time, with
// their call paths; records of what ran are made in windows.
//
// Method: what was seen counts as it is. Launches of which there is no record took what those of
// the same call path and process took that have one, in the mean. What was launched before the
// first time without records is a part of its own, as a program that starts is no sample of what
// it does later; only where a part has no record are those of the other taken.
//
// The standard error is that of a mean of so many traced runs, used for so many that were not: for
// U launches that were not seen and T that were, with a standard deviation s of what one launch
// took (nothing, where it ran another kernel), s * sqrt(U^2 / T + U). Windows are placed at
// random, and not launches, so neighbours may be alike: s^2 * T is the sum of the squares by which
// windows are off the mean of a run, W / (W - 1) times that for W windows, where it is more (a
// cluster sample; Cochran, Sampling Techniques, 9A), and wider by Student's t where they are few.
// All paths of a kernel may be off in the same windows, as where another stream takes a part of
// the GPU: where its windows are further off than its paths by themselves say, these get as much
// more. Where a path has a single traced run, its own time stands for s. Launches of a path that
// was never traced are counted, without a time. Pure; one thread.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/model/ids.h"
#include "core/model/profile.h"

namespace gprofx {

class GpuEstimates {
 public:
  // `window`: how many times without records had begun in the process when it was launched.

  // A launch from this call path; one of which records came, once, in addition.
  void AddLaunch(NodeId path, ProcessId process, uint32_t window);
  void AddTraced(NodeId path, ProcessId process, uint32_t window);
  struct Place {
    NodeId node, path;  // of the work, which is below one path; of its launch, 0 = unknown
    FrameId kernel;     // that of `node`
    ThreadId thread;
    ProcessId process;
  };
  // A record counts as it is, and as what a launch from its path takes; mostly in the order of
  // windows.
  void AddSeen(const Place& place, int64_t ns, int64_t runs);
  void AddSample(const Place& place, uint32_t window, int64_t ns);

  struct Row {
    NodeId node;
    ThreadId thread;
    double ns = 0, runs = 0, error = 0;
  };
  // One for each node and thread, in their order. Of paths without any record what it is in
  // `elsewhere` is taken.
  std::vector<Row> Rows(const GpuEstimates* elsewhere = nullptr) const;
  // Launched, at least in one of the two parts, and not traced there.
  bool NeedsSamples(NodeId path, ProcessId process) const;
  bool any_traced() const;

  // Adds metrics kMetricGpuEstimated, kMetricGpuOpsEstimated and kMetricGpuError to the profile,
  // and quality gpu_traced_launches, gpu_untraced_launches: those from paths that were never
  // traced. Once, at the end.
  void Publish(Profile& profile) const;

 private:
  enum Part { kFirst, kLater, kParts };  // before the first time without records, and after
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
  // Sums over windows: of the squares of what they took and of their runs, and of the products.
  struct Windows {
    uint32_t count = 0;
    double ns_squares = 0, products = 0, run_squares = 0;
    void Add(const Sums& window);
    double Squares(double mean) const;  // by which they are off it; 0: there are none to compare
  };
  struct Work {
    Place place;
    int64_t seen_runs = 0;
    double seen_ns = 0;
    std::array<double, kParts> sample_ns = {}, sample_runs = {};
  };
  // What launches of a path take at a node, whatever thread of the process they are of.
  struct Sample {
    Place place;
    std::array<Sums, kParts> parts;
    uint32_t window = 0;  // that of `latest`
    Sums latest;
    Windows windows;  // of what is later, without the latest one
    double Squares(Part part, int64_t traced) const;
  };
  // By how much all that ran in a window was off the means of its paths so far, later.
  struct Kernel {
    uint32_t window = 0, count = 0;
    double off = 0, squares = 0;
    void Add(uint32_t of_window, double run_off);
    double Squares() const;
  };
  struct HashKey {
    size_t operator()(uint64_t key) const { return key * 0x9e3779b97f4a7c15 >> 17; }
  };
  template <class T>
  using ByKey = std::unordered_map<uint64_t, T, HashKey>;
  class Source;

  ByKey<Path> paths_;      // by path and process
  ByKey<Work> work_;       // by node and thread
  ByKey<Sample> samples_;  // by node and process
  ByKey<Kernel> kernels_;  // by kernel and process
};

}  // namespace gprofx
