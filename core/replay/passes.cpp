#include "core/replay/passes.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/path.h"
#include "core/median.h"

namespace gprofx {
namespace {

constexpr int64_t kLeastPasses = 10;

// The innermost line of Python on a call path, else its innermost function.
std::string PlaceOf(const Profile& profile, NodeId node) {
  std::string native;
  for (; node && profile.node(node).frame; node = profile.node(node).parent) {
    const Frame& frame = profile.frame(profile.node(node).frame);
    if (!frame.function) continue;
    const Function& function = profile.function(frame.function);
    const std::string name(profile.Text(function.name));
    if (frame.kind != FrameKind::kPython) {
      if (native.empty()) native = name;
      continue;
    }
    const std::string_view file =
        BaseName(profile.Text(frame.file ? frame.file : function.file));
    return name + " (" + std::string(file) + ":" + std::to_string(frame.line) + ")";
  }
  return native;
}

// What comes in bursts is repeated within a pass: most of the times between two are short then.
bool IsRegular(std::vector<HostNs>& launches) {
  std::sort(launches.begin(), launches.end());
  std::vector<int64_t> between;
  for (size_t i = 1; i < launches.size(); ++i) between.push_back(launches[i] - launches[i - 1]);
  const int64_t mean = (launches.back() - launches.front()) / static_cast<int64_t>(between.size());
  return Median(std::move(between)) >= mean / 2;
}

}  // namespace

std::optional<Passes> FindPasses(const Profile& profile, const ReplayEvents& events) {
  struct Path {
    std::vector<HostNs> launches;
    ThreadId thread;
  };
  std::unordered_map<uint32_t, Path> paths;  // by node of the work
  HostNs first = kLatest, last = kEarliest;
  const bool part = profile.part.has_value();
  for (const ReplayOperation& operation : events.operations) {
    if (operation.launch == 0 || !operation.node || !operation.thread) continue;
    if (part && (operation.launch < profile.part->range.begin ||
                 operation.launch >= profile.part->range.end)) {
      continue;
    }
    first = std::min(first, operation.launch);
    last = std::max(last, operation.launch);
    Path& path = paths[operation.node.value];
    path.launches.push_back(operation.launch);
    path.thread = operation.thread;
  }
  const Path* best = nullptr;
  uint32_t best_node = 0;
  for (auto& [node, path] : paths) {
    if (static_cast<int64_t>(path.launches.size()) <= kLeastPasses) continue;
    const auto [low, high] = std::minmax_element(path.launches.begin(), path.launches.end());
    if (*high - *low < (last - first) / 2 || !IsRegular(path.launches)) continue;
    const auto rank = [](const Path& of, uint32_t id) { return std::pair(of.launches.size(), id); };
    if (best != nullptr && rank(*best, best_node) < rank(path, node)) continue;
    best = &path;
    best_node = node;
  }
  if (best == nullptr) return std::nullopt;
  Passes out;
  out.window.process = profile.thread(best->thread).process;
  out.window.bounds = best->launches;
  out.from = PlaceOf(profile, NodeId{best_node});
  return out;
}

std::optional<ReplayWindow> WholeRun(const Profile& profile, const ReplayEvents& events) {
  ReplayWindow window;
  HostNs first = kLatest, last = kEarliest;
  for (const ReplayOperation& operation : events.operations) {
    const HostNs begin = operation.launch != 0 ? operation.launch : operation.start;
    if (profile.part &&
        (begin < profile.part->range.begin || begin >= profile.part->range.end)) {
      continue;
    }
    first = std::min(first, begin);
    last = std::max(last, operation.end);
    if (!window.process && operation.thread) {
      window.process = profile.thread(operation.thread).process;
    }
  }
  if (first >= last) return std::nullopt;
  window.bounds = {first, last};
  return window;
}

}  // namespace gprofx
