#include "core/views/page_launches.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gprofx {

size_t PageLaunchesBuilder::HashKey::operator()(const Key& key) const {
  const uint64_t place = uint64_t{key.thread} << 32 | key.node;
  return (place * 0x9e3779b97f4a7c15 ^ key.group) * 0x9e3779b97f4a7c15 >> 16;
}

PageLaunchesBuilder::PageLaunchesBuilder(const Profile& profile, const PageTree& tree,
                                         std::span<const LevelWindow> windows, size_t most_rows)
    : profile_(profile),
      tree_(tree),
      windows_(windows),
      most_rows_(most_rows),
      of_process_(profile.processes.size() + 1) {
  for (uint32_t i = 0; i < windows.size(); ++i) of_process_[windows[i].process.value].push_back(i);
  for (std::vector<uint32_t>& own : of_process_) {
    std::stable_sort(own.begin(), own.end(), [&](uint32_t a, uint32_t b) {
      return windows_[a].begin < windows_[b].begin;
    });
  }
  Number();
}

void PageLaunchesBuilder::Number() {
  group_of_.assign(windows_.size(), 0);
  uint32_t next = 0;
  for (const std::vector<uint32_t>& own : of_process_) {
    for (uint32_t i = 0; i < own.size(); ++i) group_of_[own[i]] = next + i / group_size_;
    next += (static_cast<uint32_t>(own.size()) + group_size_ - 1) / group_size_;
  }
}

void PageLaunchesBuilder::Add(const PhaseLaunch& launch) {
  if (!launch.thread || !launch.node) return;
  const uint32_t node = tree_.node_of[launch.node.index()];
  if (node == PageTree::kNowhere) return;
  const std::vector<uint32_t>& own = of_process_[profile_.thread(launch.thread).process.value];
  if (own.empty()) return;
  // What is launched between two windows stands with the one before.
  const auto after = std::upper_bound(
      own.begin(), own.end(), launch.time,
      [&](HostNs time, uint32_t window) { return time < windows_[window].begin; });
  const uint32_t window = after == own.begin() ? own.front() : *(after - 1);
  Counts& counts = rows_[{group_of_[window], tree_.thread_of[launch.thread.value], node}];
  ++(windows_[window].traced ? counts.traced : counts.untraced);
  while (rows_.size() > 2 * most_rows_ && group_size_ < windows_.size()) Coarsen();
}

void PageLaunchesBuilder::Coarsen() {
  const std::vector<uint32_t> before = group_of_;
  group_size_ *= 2;
  Number();
  std::unordered_map<uint32_t, uint32_t> now;
  for (size_t i = 0; i < before.size(); ++i) now[before[i]] = group_of_[i];
  Rows coarser;
  for (const auto& [key, counts] : std::exchange(rows_, {})) {
    Counts& sum = coarser[{now.at(key.group), key.thread, key.node}];
    sum.traced += counts.traced;
    sum.untraced += counts.untraced;
  }
  rows_ = std::move(coarser);
}

PageLaunches PageLaunchesBuilder::Finish() && {
  while (rows_.size() > most_rows_ && group_size_ < windows_.size()) Coarsen();
  PageLaunches out;
  out.group_of = std::move(group_of_);
  out.rows.reserve(rows_.size());
  for (const auto& [key, counts] : rows_) {
    out.rows.push_back({key.group, key.thread, key.node, counts.traced, counts.untraced});
  }
  std::sort(out.rows.begin(), out.rows.end(),
            [](const PageLaunches::Row& a, const PageLaunches::Row& b) {
              return std::tie(a.group, a.thread, a.node) < std::tie(b.group, b.thread, b.node);
            });
  return out;
}

}  // namespace gprofx
