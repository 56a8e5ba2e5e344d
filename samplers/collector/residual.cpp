#include "samplers/collector/residual.h"

#include <algorithm>

namespace gprofx {

int64_t RecordingWindow::PartOf(int64_t ns, HostNs from, HostNs to) const {
  if (to <= from) return Holds(to) || to == end ? ns : 0;
  const HostNs inside = std::min(to, end) - std::max(from, begin);
  if (inside <= 0) return 0;
  return static_cast<int64_t>(static_cast<__int128>(ns) * inside / (to - from));
}

HostNs RecordingWindow::Within(HostNs time) const {
  return std::max(begin, std::min(time, end - 1));
}

std::string_view UnseenName(wire::Unseen why) {
  switch (why) {
    case wire::Unseen::kNoRoom:
      return "[not sampled: no room on the stack]";
    case wire::Unseen::kDispatched:
      return "[not sampled: its system calls are dispatched]";
  }
  return kNoTickCame;  // another process wrote the value, which may be anything
}

NodeId ProcessNode(Profile& profile, std::string_view what) {
  Function function;
  function.name = profile.Intern(what);
  Frame frame;
  frame.kind = FrameKind::kProcess;
  frame.function = profile.Intern(function);
  return profile.Child(profile.root(), profile.Intern(frame));
}

void RecentSamples::Add(NodeId node, int64_t weight) {
  samples_[count_++ % kMax] = {node, std::max<int64_t>(weight, 0)};
}

void RecentSamples::Empty(size_t newest) {
  for (uint64_t i = 0; i < std::min<uint64_t>({newest, count_, kMax}); ++i) {
    samples_[(count_ - 1 - i) % kMax].weight = 0;
  }
}

std::vector<std::pair<NodeId, int64_t>> RecentSamples::Spread(int64_t ns) const {
  std::vector<std::pair<NodeId, int64_t>> parts;
  const uint64_t used = std::min(count_, kMax);
  int64_t total = 0;
  for (uint64_t i = 0; i < used; ++i) total += samples_[i].weight;
  if (total == 0) {
    if (ns > 0) parts.emplace_back(last(), ns);
    return parts;
  }
  ns = std::max(ns, -total);
  int64_t given = 0, weight = 0;
  for (uint64_t i = 0; i < used; ++i) {
    weight += samples_[i].weight;
    // Round the cumulative share, not the share of each sample. The rounding errors then do not add
    // up, and the parts add up to `ns`.
    const auto until = static_cast<int64_t>(static_cast<__int128>(ns) * weight / total);
    const int64_t part = until - given;
    given = until;
    const auto same = [&](const auto& p) { return p.first == samples_[i].node; };
    const auto known = std::find_if(parts.begin(), parts.end(), same);
    if (known != parts.end()) {
      known->second += part;
    } else if (part != 0) {
      parts.emplace_back(samples_[i].node, part);
    }
  }
  return parts;
}

void ShortThreads::Wait(const ThreadSort& sort, ThreadId thread, int64_t ns, HostNs end) {
  if (ns > 0) sorts_[sort].waiting.push_back({thread, {}, ns, end});
}

std::vector<ShortThreads::Time> ShortThreads::Meet(const ThreadSort& sort, NodeId node) {
  Sort& met = sorts_[sort];
  met.last = node;
  std::vector<Time> times;
  times.swap(met.waiting);
  for (Time& time : times) time.node = node;
  return times;
}

std::vector<ShortThreads::Time> ShortThreads::Rest() {
  std::vector<Time> all;
  for (auto& [key, sort] : sorts_) {
    for (Time& time : sort.waiting) {
      time.node = sort.last;
      all.push_back(time);
    }
    sort.waiting.clear();
  }
  return all;
}

}  // namespace gprofx
