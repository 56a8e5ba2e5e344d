#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/model/inherit.h"
#include "core/steps/step_finders.h"

namespace gprofx {
namespace {

enum class Part : uint8_t { kUnknown, kOther, kStep, kClosure };

bool EndsWithWord(std::string_view name, std::string_view word) {
  if (!name.ends_with(word)) return false;
  const size_t at = name.size() - word.size();
  return at == 0 || name[at - 1] == '.';
}

// torch wraps the step() of every optimizer, including third-party ones, in a function of
// torch/optim/optimizer.py. The function is recognized by its file, because up to Python 3.10
// function names do not include the class.
Part PartOf(const Profile& profile, const Frame& frame) {
  if (frame.kind != FrameKind::kPython || !frame.function) return Part::kOther;
  const Function& function = profile.function(frame.function);
  const std::string_view name = profile.Text(function.name), file = profile.Text(function.file);
  if (name.find("losure") != std::string_view::npos) return Part::kClosure;
  if (file.find("/torch/optim/lr_scheduler") != std::string_view::npos) return Part::kOther;
  if (file.ends_with("/torch/optim/optimizer.py") && EndsWithWord(name, "wrapper")) {
    return Part::kStep;
  }
  const bool is_step = EndsWithWord(name, "step");
  if (is_step && file.find("/torch/optim/") != std::string_view::npos) return Part::kStep;
  const size_t dot = name.rfind('.');
  const bool is_optimizer = dot != std::string_view::npos && is_step &&
                            name.substr(0, dot).find("Optimizer") != std::string_view::npos;
  return is_optimizer ? Part::kStep : Part::kOther;
}

using ThreadOperations = std::vector<size_t>;  // positions in ProcessEvents::operations

struct Group {  // launches of one call of an optimizer
  NodeId call;
  size_t first, last;  // positions in ThreadOperations
};

std::vector<Group> GroupsOf(const ProcessEvents& events, const ThreadOperations& thread,
                            std::span<const NodeId> calls) {
  std::vector<Group> groups;
  NodeId open;
  for (size_t i = 0; i < thread.size(); ++i) {
    const NodeId node = events.operations[thread[i]].node;
    const NodeId call = node ? calls[node.index()] : NodeId{};
    if (call && call == open) {
      groups.back().last = i;
    } else if (call) {
      groups.push_back({call, i, i});
    }
    open = call;
  }
  return groups;
}

// Keeps the groups of one call path: that with the most groups. Among equals, chooses the one whose
// last group is latest.
std::vector<Group> GroupsOfOneCall(std::vector<Group> groups) {
  std::unordered_map<NodeId, size_t> counts;
  for (const Group& group : groups) ++counts[group.call];
  NodeId chosen;
  for (const Group& group : groups) {
    if (!chosen || counts[group.call] >= counts[chosen]) chosen = group.call;
  }
  std::erase_if(groups, [&](const Group& group) { return group.call != chosen; });
  return groups;
}

// Returns the first operation of the first step. Launches before the first call of the optimizer
// belong to start-up or to the first step. The step begins with the first launch that also occurs
// in later steps.
size_t FirstOfFirstStep(const ProcessEvents& events, const ThreadOperations& thread,
                        const std::vector<Group>& groups) {
  std::unordered_set<NodeId> repeated;
  for (size_t i = groups[0].last + 1; i <= groups.back().last; ++i) {
    repeated.insert(events.operations[thread[i]].node);
  }
  for (size_t i = 0; i < groups[0].first; ++i) {
    if (repeated.contains(events.operations[thread[i]].node)) return i;
  }
  return groups[0].first;
}

}  // namespace

std::vector<NodeId> OptimizerCalls(const Profile& profile) {
  std::vector<Part> parts(profile.frames.size(), Part::kUnknown);
  uint32_t node = 0;
  return InheritDown<NodeId>(profile.nodes, [&](NodeId above, FrameId frame) {
    ++node;
    if (!frame) return above;
    Part& part = parts[frame.index()];
    if (part == Part::kUnknown) part = PartOf(profile, profile.frame(frame));
    if (part == Part::kClosure) return NodeId{};
    return part == Part::kStep && !above ? NodeId{node} : above;
  });
}

std::vector<TimeRange> StepsByOptimizer(const ProcessEvents& events,
                                        std::span<const NodeId> optimizer_calls) {
  std::map<ThreadId, ThreadOperations> threads;
  for (size_t i = 0; i < events.operations.size(); ++i) {
    threads[events.operations[i].thread].push_back(i);
  }
  std::vector<Group> best;
  const ThreadOperations* thread = nullptr;
  for (const auto& [id, operations] : threads) {
    std::vector<Group> groups = GroupsOfOneCall(GroupsOf(events, operations, optimizer_calls));
    if (groups.size() <= best.size()) continue;
    best = std::move(groups);
    thread = &operations;
  }
  if (best.size() < kMinSteps) return {};
  std::vector<TimeRange> steps;
  size_t first = FirstOfFirstStep(events, *thread, best);
  HostNs begin = WhenLaunched(events.operations[(*thread)[first]]);
  for (size_t i = 0; i < best.size(); ++i) {
    const size_t next = best[i].last + 1;
    const size_t last = (*thread)[best[i].last];
    const bool is_last = i + 1 == best.size();
    const HostNs end =
        is_last ? EndOfWork(events, (*thread)[best[i].first], WhenLaunched(events.operations[last]))
                : WhenLaunched(events.operations[(*thread)[next]]);
    steps.push_back({begin, end});
    begin = end;
  }
  return steps;
}

}  // namespace gprofx
