// Estimates the duration of all GPU work of a run whose GPU work was recorded only in windows of
// time. Launches are counted all the time, with their call paths.
//
// Method: recorded work counts as it is. A launch without a record is assumed to take as long as
// the average launch with a record from the same call path and process. The launches before the
// first gap in the records and the later ones are estimated separately, because a program behaves
// differently while it starts. If a part has no record of a path, the records of the other part are
// used.
//
// The standard error is that of a mean of T recorded runs that is applied to U launches without a
// record: s * sqrt(U^2 / T + U). Here s is the standard deviation of the duration of one launch; a
// launch that ran another kernel counts as 0. Windows are placed at random but launches are not, so
// launches of one window may be alike. Therefore s^2 * T is replaced by another sum if that is
// larger: W / (W - 1) times the sum of the squared deviations of W windows from the mean of a run
// (a cluster sample; Cochran, Sampling Techniques, 9A). If there are few windows, Student's t makes
// that sum larger.
//
// All paths of a kernel may deviate in the same windows, for example if another stream uses a part
// of the GPU. If the windows of a kernel deviate more than its paths imply on their own, the errors
// of the paths are raised in proportion. If a path has a single recorded run, s is its duration.
// Launches of a path that was never recorded are counted without a time. Pure; one thread.
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
  // In the functions below, `window` is the number of gaps in the records that had begun in the
  // process before the launch.

  // AddLaunch adds a launch from a call path. If records of the launch exist, call AddTraced for
  // it, too, once.
  void AddLaunch(NodeId path, ProcessId process, uint32_t window);
  void AddTraced(NodeId path, ProcessId process, uint32_t window);
  struct Place {
    NodeId node, path;  // `node` is that of the work; `path` is its launch (0 = unknown)
    FrameId kernel;     // frame of `node`
    ThreadId thread;
    ProcessId process;
  };
  // AddSeen adds recorded work to the totals. AddSample adds it to the durations from which
  // launches without a record are estimated. Call AddSample mostly in the order of windows.
  void AddSeen(const Place& place, int64_t ns, int64_t runs);
  void AddSample(const Place& place, uint32_t window, int64_t ns);

  struct Row {
    NodeId node;
    ThreadId thread;
    double ns = 0, runs = 0, error = 0;
  };
  // Returns a row for each node and thread, sorted by both. If `elsewhere` is given, it provides
  // the means for paths without any record here.
  std::vector<Row> Rows(const GpuEstimates* elsewhere = nullptr) const;
  // True if samples of the path can be used: in at least one of the two parts, it has launches but
  // no record.
  bool NeedsSamples(NodeId path, ProcessId process) const;
  bool any_traced() const;

  // Adds the metrics kMetricGpuEstimated, kMetricGpuOpsEstimated and kMetricGpuError to the
  // profile. Also sets the quality counters gpu_traced_launches and gpu_untraced_launches; the
  // latter counts launches from paths that were never recorded. Call once, at the end.
  void Publish(Profile& profile) const;

 private:
  // kFirst: before the begin of the first gap. kLater: after it.
  enum Part { kFirst, kLater, kParts };
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
  // Sums over windows of the squared durations, the squared numbers of runs, and the products of
  // the two.
  struct Windows {
    uint32_t count = 0;
    double ns_squares = 0, products = 0, run_squares = 0;
    void Add(const Sums& window);
    // Sum of squared deviations of the windows from `mean`; 0 = fewer than two windows.
    double Squares(double mean) const;
  };
  struct Work {
    Place place;
    int64_t seen_runs = 0;
    double seen_ns = 0;
    std::array<double, kParts> sample_ns = {}, sample_runs = {};
  };
  // Durations of the work at a node, over all threads of the process.
  struct Sample {
    Place place;
    std::array<Sums, kParts> parts;
    uint32_t window = 0;  // the window of `latest`
    Sums latest;
    Windows windows;  // of kLater, without `latest`
    double Squares(Part part, int64_t traced) const;
  };
  // Deviations of the runs of a kernel from the means of earlier runs on the same call path, added
  // up by window. Only runs after the first gap (kLater) count.
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
