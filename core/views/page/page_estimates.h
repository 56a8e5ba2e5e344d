// Data that a page needs to estimate the GPU work of any range of a recording whose records cover
// only part of the time.
//
// The estimate for the whole run in excess of the records (core/gpu/gpu_estimates.h) is the work of
// launches in gaps, that is, in windows without records. Each gap has one row. The estimated work
// is distributed over the gaps in proportion to the launches of its call path in them. If a gap
// lies partly in a range, its launches count in proportion to the overlap. So the estimate of the
// whole run equals the report's. The estimate of a range is right if the work of a path's launches
// takes as long there as elsewhere.
//
// The number of rows of launches is bounded: if there would be more than kMaxRows rows,
// neighbouring gaps of a process form a group that shares its rows, and paths beyond kMaxPaths,
// those with the least work, are merged into one. Pure; one thread; the profile must outlive the
// builder.
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
  struct Gap {  // window of one process without records
    HostNs begin = 0, end = 0;
    int64_t launches = 0;
    uint32_t group = 0;
  };
  struct Launches {
    uint32_t path = 0, group = 0;
    int64_t count = 0;
  };
  struct Work {                     // of launches without a record, over the whole run
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

  // Call once per launch, in any order.
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
    uint32_t group = 0;  // of windows without records
  };

  void FindWork();
  Path PathOf(NodeId node, ThreadId thread) const;  // path of the work at a node
  void NumberPaths(size_t most);
  void GroupGaps(std::span<const LevelWindow> windows, size_t most_rows);
  uint32_t NumberOf(const Path& path) const;  // kNone = no estimate
  static constexpr uint32_t kNone = UINT32_MAX;

  const Profile& profile_;
  const std::vector<NodeId> path_of_;                 // by NodeId::index()
  std::map<std::pair<NodeId, ThreadId>, Sums> work_;  // work without a record
  std::unordered_map<uint64_t, uint32_t> paths_;      // path numbers, by KeyOf()
  std::vector<size_t> numbers_of_;                    // path count, by ProcessId::value
  std::vector<std::vector<Window>> of_process_;       // sorted by time, by ProcessId::value
  std::unordered_map<uint64_t, int64_t> launches_;    // by path and group
  PageEstimates out_;
};

}  // namespace gprofx
