// What a page needs to estimate the GPU work of any range of a recording of which records were made
// for a part of the time only.
//
// What was estimated of the whole run beside the records (core/gpu/gpu_estimates.h) is that of
// launches in the times without records, of which there is one row each: it is shared out to those
// times by how often its call path launched in them. Of a time that lies in a range in part,
// launches count by its length. So the whole run is what a report says of it, and a range too,
// where what a path launches takes as long there as elsewhere.
//
// Rows of launches are bounded: neighbouring times without records of a process are taken together
// where they would be more than kMaxRows, and its paths beyond kMaxPaths, those with the least
// work, are one. Pure; one thread; the profile must outlive the builder.
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
  struct Gap {  // a time without records, of one process
    HostNs begin = 0, end = 0;
    int64_t launches = 0;
    uint32_t group = 0;
  };
  struct Launches {
    uint32_t path = 0, group = 0;
    int64_t count = 0;
  };
  struct Work {                     // of launches without a record, in the whole run
    uint32_t thread = 0, node = 0;  // PageTree::threads, ::nodes
    uint32_t path = 0;
    int64_t ns = 0, runs = 0;
  };
  std::vector<Gap> gaps;
  std::vector<Launches> launches;  // in order of path and group; paths are numbers from 0 on
  std::vector<Work> work;          // in order of thread, node, path
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

  // Each once, in any order.
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
    uint32_t group = 0;  // of those that are not
  };

  void FindWork();
  Path PathOf(NodeId node, ThreadId thread) const;  // of work there
  void NumberPaths(size_t most);
  void GroupGaps(std::span<const LevelWindow> windows, size_t most_rows);
  uint32_t NumberOf(const Path& path) const;  // kNone = nothing is estimated of it
  static constexpr uint32_t kNone = UINT32_MAX;

  const Profile& profile_;
  const std::vector<NodeId> path_of_;                 // by NodeId::index()
  std::map<std::pair<NodeId, ThreadId>, Sums> work_;  // without a record
  std::unordered_map<uint64_t, uint32_t> paths_;      // numbers, by KeyOf()
  std::vector<size_t> numbers_of_;                    // so many, by ProcessId::value
  std::vector<std::vector<Window>> of_process_;       // in order of time, by ProcessId::value
  std::unordered_map<uint64_t, int64_t> launches_;    // by path and group
  PageEstimates out_;
};

}  // namespace gprofx
