#include "core/levels/backward.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/base/arithmetic.h"
#include "core/gpu/traced_times.h"
#include "core/levels/backward_parts.h"
#include "core/levels/backward_pass.h"
#include "core/levels/communication.h"
#include "core/levels/level_names.h"
#include "core/steps/step_finders.h"

namespace gprofx {
namespace {

// Assigns a number to each name of an operator or backward node. An operator and its backward node
// have the same number.
struct Names {
  std::vector<uint32_t> of_op, of_backward;  // by (id in Levels) - 1; numbers begin at 1

  explicit Names(const Levels& levels) {
    std::unordered_map<std::string, uint32_t> ids;
    const auto add = [&](const std::vector<std::string>& names, std::vector<uint32_t>& out) {
      for (const std::string& name : names) {
        const auto next = static_cast<uint32_t>(ids.size() + 1);
        out.push_back(ids.try_emplace(MatchingName(name), next).first->second);
      }
    };
    add(levels.operators, of_op);
    add(levels.backwards, of_backward);
  }
};

// Returns a flag for each node, by NodeId::index(). It is true for an operator that calls itself
// with other arguments, as autocast does after its casts. Only the inner call counts, because it is
// the one that autograd records.
std::vector<bool> Wrappers(const Profile& profile, const Levels& levels) {
  std::vector<bool> wraps(profile.nodes.size());
  for (uint32_t i = 0; i < profile.nodes.size(); ++i) {
    const NodeLevel& level = levels.of_node[i];
    if (level.op_node != NodeId{i + 1}) continue;
    uint32_t depth = 0;
    for (NodeId at = profile.nodes[i].parent; at && depth < kDeepestLevels; ++depth) {
      const NodeId outer = levels.at(at).op_node;
      if (!outer) break;
      if (levels.at(outer).op == level.op) wraps[outer.index()] = true;
      at = profile.node(outer).parent;
    }
  }
  return wraps;
}

// Splits the operations of one thread into calls. A call is a sequence of operations that have a
// frame of their call path and their layers in common.
class CallCutter {
 public:
  // Adds the next operation. `frames` are nodes on its call path, innermost first; `leaf` is its
  // own node. Calls `begin(frame)` for each call that begins with it.
  template <class Begin>
  void Add(std::span<const NodeId> frames, NodeId leaf, uint32_t layer_path, const Begin& begin) {
    for (const NodeId frame : frames) {
      Open& open = open_[uint64_t{layer_path} << 32 | frame.value];
      const bool goes_on = open.last + 1 == now_;
      if (!goes_on || !open.leaves.insert(leaf.value).second) {
        open.leaves =
            std::unordered_set<uint32_t>{leaf.value};  // a new set frees the buckets of a long call
        begin(frame);
      }
      open.last = now_;
    }
    ++now_;
  }

 private:
  struct Open {
    uint64_t last = 0;  // number of the last operation with this frame on its path; 0 = none
    std::unordered_set<uint32_t> leaves;
  };
  std::unordered_map<uint64_t, Open> open_;  // by layer path and node
  // Number of the current operation. Begins at 2: with 1, Open::last = 0 would look like the
  // operation before the first.
  uint64_t now_ = 2;
};

// Finds the forward and backward passes of one process.
class PassFinder {
 public:
  PassFinder(const Profile& profile, const Levels& levels, const Names& names,
             std::span<const NodeId> optimizer, const std::vector<bool>& wraps,
             std::vector<TimeRange> traced)
      : profile_(profile),
        levels_(levels),
        names_(names),
        optimizer_(optimizer),
        wraps_(wraps),
        traced_(std::move(traced)) {}

  // Adds an operation. Call in the order of launches.
  void Add(uint32_t operation, const PhaseOperation& what) {
    EndAtGap(WhenLaunched(what));
    const NodeLevel& level = levels_.at(what.node);
    if (optimizer_[what.node.index()]) {
      End();
    } else if (!level.is_backward) {
      if (!pass_.backward.empty()) {
        if (IsBeside(what, level)) return;
        End();
      }
      forward_threads_.insert(what.thread);
      AddForward(what, level);
    } else if (level.layer_path == 0) {
      AddBackward(operation, what, level);
    }
  }

  const std::set<NameAndPath>& forward() const { return all_forward_; }

  std::vector<BackwardPass> Take() {
    End();
    return std::move(passes_);
  }

 private:
  void End() {
    if (!pass_.backward.empty()) passes_.push_back(std::move(pass_));
    pass_ = {};
    forward_threads_.clear();
    open_calls_.clear();
  }

  // True for work of a thread that does not run the model, such as one that prefetches data. Such
  // work does not end the current pass.
  bool IsBeside(const PhaseOperation& what, const NodeLevel& level) const {
    return level.layer_path == 0 && !forward_threads_.empty() &&
           !forward_threads_.contains(what.thread);
  }

  // Ends the current pass if there was a time without records before `time`. The passes on both
  // sides of it are incomplete, because some of their work may have run in it.
  void EndAtGap(HostNs time) {
    bool is_gap = was_outside_;
    for (; at_ < traced_.size() && traced_[at_].end <= time; ++at_) {
      is_gap = is_gap || at_ + 1 == traced_.size() || traced_[at_ + 1].begin > traced_[at_].end;
    }
    was_outside_ = !traced_.empty() && (at_ == traced_.size() || time < traced_[at_].begin);
    if (!is_gap) return;
    pass_.backward_whole = false;
    End();
    pass_.forward_whole = false;
  }

  void AddForward(const PhaseOperation& what, const NodeLevel& level) {
    chain_.clear();
    for (NodeId op = level.op_node; op && chain_.size() < kDeepestLevels;) {
      chain_.push_back(op);
      const NodeId parent = profile_.node(op).parent;
      op = parent ? levels_.at(parent).op_node : NodeId{};
    }
    std::erase_if(chain_, [&](NodeId op) { return wraps_[op.index()]; });
    cutters_[what.thread].Add(chain_, what.node, level.layer_path, [&](NodeId op) {
      // If one line calls several layers, the operator's node belongs to all of them. Then use the
      // layer of the work.
      const bool is_named =
          level.layer_path != 0 && !levels_.layer(levels_.LayerOf(level.layer_path)).path.empty();
      const NodeLevel& at = levels_.at(op);
      const ForwardCall call{names_.of_op[at.op - 1], is_named ? level.layer_path : at.layer_path,
                             op};
      pass_.forward.push_back(call);
      all_forward_.emplace(call.name, call.path);
    });
  }

  void AddBackward(uint32_t operation, const PhaseOperation& what, const NodeLevel& level) {
    const bool follows = level.accumulates || !level.in_node;
    const bool is_named = level.backward != 0 && !follows;
    const auto open = open_calls_.find(what.thread);
    std::optional<size_t> last;
    if (open != open_calls_.end()) last = open->second;
    bool begins = !last;
    if (is_named) {
      const NodeId frame = level.backward_node;
      cutters_[what.thread].Add({&frame, 1}, what.node, 0, [&](NodeId) { begins = true; });
    } else {
      cutters_[what.thread].Add({}, what.node, 0, [](NodeId) {});
      begins =
          begins || pass_.backward[*last].name != 0 || pass_.backward[*last].follows != follows;
    }
    if (begins) {
      open_calls_[what.thread] = pass_.backward.size();
      BackwardCall& call = pass_.backward.emplace_back();
      if (is_named) call.name = names_.of_backward[level.backward - 1];
      call.follows = follows;
      call.before = last;
    }
    pass_.backward[open_calls_[what.thread]].operations.push_back(operation);
  }

  const Profile& profile_;
  const Levels& levels_;
  const Names& names_;
  // By NodeId::index(): the optimizer call that the node is in; 0 = none.
  const std::span<const NodeId> optimizer_;
  const std::vector<bool>& wraps_;
  const std::vector<TimeRange> traced_;  // times with records; empty = always
  size_t at_ = 0;                        // index in traced_ of the window of the current operation
  bool was_outside_ = false;             // the previous operation was in no window
  std::map<ThreadId, CallCutter> cutters_;
  std::vector<NodeId> chain_;
  BackwardPass pass_;                      // the current pass
  std::map<ThreadId, size_t> open_calls_;  // by thread: its latest call in pass_.backward
  std::set<ThreadId> forward_threads_;     // threads that ran the forward pass of pass_
  std::vector<BackwardPass> passes_;
  std::set<NameAndPath> all_forward_;
};

}  // namespace

OperationPaths LayerPaths(const Profile& profile, const Levels& levels,
                          std::span<const PhaseOperation> operations,
                          std::span<const LevelWindow> windows) {
  OperationPaths out{std::vector<uint32_t>(operations.size()),
                     std::vector<NodeId>(operations.size())};
  std::map<ProcessId, std::vector<uint32_t>> processes;
  for (size_t i = 0; i < operations.size(); ++i) {
    const PhaseOperation& operation = operations[i];
    if (!operation.node) continue;
    out.paths[i] = levels.at(operation.node).layer_path;
    if (operation.thread) {
      processes[profile.thread(operation.thread).process].push_back(static_cast<uint32_t>(i));
    }
  }
  if (levels.paths.empty()) return out;
  const Names names(levels);
  const std::vector<NodeId> optimizer = OptimizerCalls(profile);
  const std::vector<bool> wraps = Wrappers(profile, levels);
  Communication communication(profile, levels);
  for (auto& [process, own] : processes) {
    std::stable_sort(own.begin(), own.end(), [&](uint32_t a, uint32_t b) {
      return std::tuple(WhenLaunched(operations[a]), operations[a].start) <
             std::tuple(WhenLaunched(operations[b]), operations[b].start);
    });
    PassFinder finder(profile, levels, names, optimizer, wraps, TracedTimes(windows, process));
    for (const uint32_t operation : own) finder.Add(operation, operations[operation]);
    std::vector<BackwardPass> passes = finder.Take();
    for (BackwardPass& pass : passes) {
      if (pass.whole()) JoinPass(levels, pass);
    }
    JoinParts(levels, finder.forward(), passes);
    for (const BackwardPass& pass : passes) {
      for (const BackwardCall& call : pass.backward) {
        for (const uint32_t operation : call.operations) {
          if (communication.Is(operations[operation].node)) continue;
          out.paths[operation] = call.joined.path;
          if (call.joined.path == 0) out.forwards[operation] = call.joined.forward;
        }
      }
    }
  }
  return out;
}

std::vector<LayerShare> LayerShares(const Levels& levels,
                                    std::span<const PhaseOperation> operations,
                                    const OperationPaths& of) {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, LayerShare> shares;
  for (size_t i = 0; i < operations.size(); ++i) {
    const PhaseOperation& operation = operations[i];
    if (!operation.node) continue;
    const NodeLevel& level = levels.at(operation.node);
    if (!level.is_backward || level.layer_path != 0) continue;
    LayerShare& share = shares[{operation.node.value, of.paths[i], of.forwards[i].value}];
    share.node = operation.node;
    share.layer_path = of.paths[i];
    share.forward = of.forwards[i];
    share.weight =
        AddSaturated(share.weight, std::max<int64_t>(operation.end - operation.start, 0));
    ++share.calls;
  }
  std::vector<LayerShare> out;
  for (const auto& [_, share] : shares) out.push_back(share);
  return out;
}

}  // namespace gprofx
