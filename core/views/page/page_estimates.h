// Prepares data from which a page (HTML report) estimates the GPU work of any range of the
// recording. Needed if GPU work was recorded only part of the time.
//
// The estimate of the whole run (core/gpu/gpu_estimates.h) exceeds the recorded work by the work of
// launches in gaps, that is, in windows without records. Here that work is distributed over the
// gaps, in proportion to the launches of its call path in each gap. A gap that lies partly in a
// range counts in proportion to the overlap. The estimate of the whole run therefore equals the
// report's. The estimate of a range is right if the launches of a path take as long there as
// elsewhere.
//
// The number of rows of launches is bounded. If there would be more than kMaxRows, neighbouring
// gaps of a process form a group that shares its rows. If there are more than kMaxPaths paths,
// those with the least work are merged into one per process. Pure; one thread; the profile must
// outlive the builder.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/gpu/level_windows.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"
#include "core/views/page/page_tree.h"

namespace gprofx {

struct PageEstimates {
  struct Gap {  // a window of a process in which GPU work was not recorded
    HostNs begin = 0, end = 0;
    int64_t launches = 0;
    uint32_t group = 0;
  };
  struct Launches {
    uint32_t path = 0, group = 0;
    int64_t count = 0;
  };
  struct Work {                     // work of launches without a record, in the whole run
    uint32_t thread = 0, node = 0;  // PageTree::threads, ::nodes
    uint32_t path = 0;
    int64_t ns = 0, runs = 0;
  };
  std::vector<Gap> gaps;
  std::vector<Launches> launches;  // sorted by path and group; paths are numbered from 0
  std::vector<Work> work;          // sorted by thread, node, path
};

class PageEstimatesBuilder {
 public:
  static constexpr size_t kMaxRows = 1'000'000, kMaxPaths = 10'000;
  struct Limits {
    size_t rows = kMaxRows, paths = kMaxPaths;
  };

  PageEstimatesBuilder(const Profile& profile, std::span<const LevelWindow> windows)
      : PageEstimatesBuilder(profile, windows, Limits{}) {}
  PageEstimatesBuilder(const Profile& profile, std::span<const LevelWindow> windows, Limits limits);

  // Counts a launch. Call once per launch, in any order.
  void Add(const PhaseLaunch& launch);
  PageEstimates Finish(const PageTree& tree) &&;

 private:
  using Path = std::pair<NodeId, ProcessId>;
  static uint64_t KeyOf(const Path& path) {
    return uint64_t{path.first.value} << 32 | path.second.value;
  }
  struct Sums {
    int64_t ns = 0, runs = 0;
  };
  struct Window {
    HostNs begin = 0;
    bool traced = false;
    uint32_t group = 0;  // group of gaps; set for windows without records
  };

  void FindWork();
  Path PathOf(NodeId node, ThreadId thread) const;  // call path of the launch of the work at a node
  void NumberPaths(size_t most);
  void GroupGaps(std::span<const LevelWindow> windows, size_t most_rows);
  uint32_t NumberOf(const Path& path) const;  // kNone = no estimate
  static constexpr uint32_t kNone = UINT32_MAX;

  const Profile& profile_;
  const std::vector<NodeId> path_of_;  // by NodeId::index()
  // By node and thread: estimated minus recorded work.
  std::map<std::pair<NodeId, ThreadId>, Sums> work_;
  std::unordered_map<uint64_t, uint32_t> paths_;    // path numbers, by KeyOf()
  std::vector<size_t> numbers_of_;                  // number of paths, by ProcessId::value
  std::vector<std::vector<Window>> of_process_;     // sorted by time, by ProcessId::value
  std::unordered_map<uint64_t, int64_t> launches_;  // by path and group
  PageEstimates out_;
};

}  // namespace gprofx
