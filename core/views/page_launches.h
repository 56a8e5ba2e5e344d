// How often each call path of a page put work on a GPU, where records of that work were made for a part
// of the time only: what estimates of a selected range are made of.
//
// Launches are summed up by window of the recording (core/level_windows.h); where that makes too many
// rows, by groups of neighbouring windows of a process, as few as needed. Of a window that lies in a
// range in part its launches count by the time, as windows do. Pure; one thread; profile, tree and
// windows must outlive the builder. Memory: the rows, at most twice as many as are wanted.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/level_windows.h"
#include "core/phases.h"
#include "core/profile.h"
#include "core/views/page_tree.h"

namespace gprofx {

struct PageLaunches {
  struct Row {
    uint32_t group = 0, thread = 0, node = 0;  // PageTree::threads, ::nodes
    int64_t traced = 0, untraced = 0;          // in windows with records, and in others
  };
  std::vector<uint32_t> group_of;  // by window
  std::vector<Row> rows;           // in order of group, thread, node
};

class PageLaunchesBuilder {
 public:
  static constexpr size_t kMostRows = 200'000;

  PageLaunchesBuilder(const Profile& profile, const PageTree& tree,
                      std::span<const LevelWindow> windows, size_t most_rows = kMostRows);

  // Each once, in any order. Launches that the tree does not have are left out.
  void Add(const PhaseLaunch& launch);
  PageLaunches Finish() &&;

 private:
  struct Counts {
    int64_t traced = 0, untraced = 0;
  };
  struct Key {
    uint32_t group = 0, thread = 0, node = 0;
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    size_t operator()(const Key& key) const;
  };
  using Rows = std::unordered_map<Key, Counts, HashKey>;

  void Coarsen();
  void Number();

  const Profile& profile_;
  const PageTree& tree_;
  const std::span<const LevelWindow> windows_;
  const size_t most_rows_;
  std::vector<std::vector<uint32_t>> of_process_;  // windows in order, by ProcessId::value
  uint32_t group_size_ = 1;                        // windows
  std::vector<uint32_t> group_of_;                 // by window
  Rows rows_;
};

}  // namespace gprofx
