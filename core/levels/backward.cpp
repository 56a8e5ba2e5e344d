#include "core/levels/backward.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/arithmetic.h"
#include "core/kernel_family.h"
#include "core/levels/level_names.h"
#include "core/step_finders.h"

namespace gprofx {
namespace {

constexpr uint32_t kNoName = 0;

// Operators and nodes of backward passes by the name that they share.
struct Names {
  std::vector<uint32_t> of_op, of_backward;  // by id - 1 of Levels; 1-based

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

// Operators that call themselves with other arguments, as autocast does after its casts: the
// innermost call is the one that autograd knows. By NodeId::index().
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

// Tells calls of one thread apart: of the frames that stand on the call path of an operation, and of
// the layers that it is of, which begin a new call.
class CallCutter {
 public:
  // `frames`: nodes of the tree, the innermost first. Calls `begin` for each that begins.
  template <class Begin>
  void Add(std::span<const NodeId> frames, NodeId leaf, uint32_t layer_path, const Begin& begin) {
    for (const NodeId frame : frames) {
      Open& open = open_[uint64_t{layer_path} << 32 | frame.value];
      const bool goes_on = open.last + 1 == now_;
      if (!goes_on || !open.leaves.insert(leaf.value).second) {
        open.leaves = {leaf.value};
        begin(frame);
      }
      open.last = now_;
    }
    ++now_;
  }

 private:
  struct Open {
    uint64_t last = 0;  // operation that it was seen with; 0 = never
    std::unordered_set<uint32_t> leaves;
  };
  std::unordered_map<uint64_t, Open> open_;  // by layer and node
  uint64_t now_ = 2;  // so that none lies behind never
};

class Joiner {
 public:
  Joiner(const Profile& profile, const Levels& levels, const Names& names,
         std::span<const NodeId> optimizer, const std::vector<bool>& wraps,
         std::span<const PhaseOperation> operations, std::vector<uint32_t>& paths)
      : profile_(profile),
        levels_(levels),
        names_(names),
        optimizer_(optimizer),
        operations_(operations),
        paths_(paths),
        wraps_(wraps) {}

  // Of one process, in the order of the launches.
  void Add(uint32_t operation) {
    const PhaseOperation& what = operations_[operation];
    const NodeLevel& level = levels_.at(what.node);
    if (optimizer_[what.node.index()]) {
      Finish();
    } else if (!level.is_backward) {
      if (!backwards_.empty()) Finish();
      AddForward(what, level);
    } else if (level.layer_path == 0) {
      AddBackward(operation, what, level);
    }
  }

  void Finish() {
    JoinByName();
    FillGaps();
    for (const Backward& call : backwards_) {
      for (const uint32_t operation : call.operations) {
        if (!IsCommunication(operations_[operation])) paths_[operation] = call.path;
      }
    }
    forwards_.clear();
    backwards_.clear();
  }

 private:
  struct Backward {
    uint32_t name = kNoName;
    bool accumulates = false, known = false;
    uint32_t path = 0;
    std::vector<uint32_t> operations;
  };

  void AddForward(const PhaseOperation& what, const NodeLevel& level) {
    chain_.clear();
    for (NodeId op = level.op_node; op && chain_.size() < kDeepestLevels;) {
      chain_.push_back(op);
      const NodeId parent = profile_.node(op).parent;
      op = parent ? levels_.at(parent).op_node : NodeId{};
    }
    std::erase_if(chain_, [&](NodeId op) { return wraps_[op.index()]; });
    cutters_[what.thread].Add(chain_, what.node, level.layer_path, [&](NodeId op) {
      // Of layers that one line calls the operator is one node: the work itself knows its layer.
      const bool is_named = level.layer_path != 0 &&
                            !levels_.layer(levels_.LayerOf(level.layer_path)).path.empty();
      const NodeLevel& at = levels_.at(op);
      forwards_[names_.of_op[at.op - 1]].push_back(is_named ? level.layer_path : at.layer_path);
    });
  }

  void AddBackward(uint32_t operation, const PhaseOperation& what, const NodeLevel& level) {
    const bool is_named = level.backward != 0 && !level.accumulates;
    bool begins = backwards_.empty();
    if (is_named) {
      const NodeId frame = level.backward_node;
      cutters_[what.thread].Add({&frame, 1}, what.node, 0, [&](NodeId) { begins = true; });
    } else {
      cutters_[what.thread].Add({}, what.node, 0, [](NodeId) {});
      const Backward* last = backwards_.empty() ? nullptr : &backwards_.back();
      begins = begins || last->name != kNoName || last->accumulates != level.accumulates;
    }
    if (begins) {
      Backward& call = backwards_.emplace_back();
      if (is_named) call.name = names_.of_backward[level.backward - 1];
      call.accumulates = level.accumulates;
    }
    backwards_.back().operations.push_back(operation);
  }

  void JoinByName() {
    std::unordered_map<uint32_t, std::vector<size_t>> by_name;
    for (size_t i = 0; i < backwards_.size(); ++i) {
      if (backwards_[i].name != kNoName) by_name[backwards_[i].name].push_back(i);
    }
    for (const auto& [name, calls] : by_name) {
      const auto found = forwards_.find(name);
      if (found == forwards_.end()) continue;
      const std::vector<uint32_t>& forward = found->second;
      const bool one_layer = std::equal(forward.begin() + 1, forward.end(), forward.begin());
      if (!one_layer && forward.size() != calls.size()) continue;
      for (size_t i = 0; i < calls.size(); ++i) {
        Backward& call = backwards_[calls[i]];
        call.path = one_layer ? forward.front() : forward[forward.size() - 1 - i];
        call.known = true;
      }
    }
  }

  void FillGaps() {
    std::vector<size_t> next(backwards_.size(), backwards_.size());
    for (size_t i = backwards_.size(); i-- > 1;) {
      next[i - 1] = backwards_[i].known ? i : next[i];
    }
    size_t last = backwards_.size();  // the known one before
    for (size_t i = 0; i < backwards_.size(); ++i) {
      Backward& call = backwards_[i];
      if (call.known) {
        last = i;
      } else if (last < backwards_.size() && call.accumulates) {
        call.path = backwards_[i - 1].path;
      } else if (last < backwards_.size() && next[i] < backwards_.size()) {
        call.path = Around(backwards_[last].path, backwards_[next[i]].path);
      }
    }
  }

  // The innermost path that both lie in.
  uint32_t Around(uint32_t a, uint32_t b) const {
    // A path is made after the one around it.
    while (a != b) {
      uint32_t& inner = a > b ? a : b;
      inner = levels_.paths[inner - 1].parent;
    }
    return a;
  }

  bool IsCommunication(const PhaseOperation& operation) {
    const FrameId frame = levels_.at(operation.node).operation;
    if (!frame) return false;
    const auto [found, is_new] = communicates_.try_emplace(frame.value);
    if (is_new) {
      const FunctionId function = profile_.frame(frame).function;
      found->second =
          function && IsCommunicationKernel(profile_.Text(profile_.function(function).name));
    }
    return found->second;
  }

  const Profile& profile_;
  const Levels& levels_;
  const Names& names_;
  const std::span<const NodeId> optimizer_;  // by NodeId::index(): 0 = in no call of an optimizer
  const std::span<const PhaseOperation> operations_;
  std::vector<uint32_t>& paths_;
  std::map<ThreadId, CallCutter> cutters_;
  const std::vector<bool>& wraps_;
  std::vector<NodeId> chain_;
  // Since the last backward pass: by name, the paths of the calls in their order.
  std::unordered_map<uint32_t, std::vector<uint32_t>> forwards_;
  std::vector<Backward> backwards_;
  std::unordered_map<uint32_t, bool> communicates_;  // by FrameId::value
};

}  // namespace

std::vector<uint32_t> LayerPaths(const Profile& profile, const Levels& levels,
                                 std::span<const PhaseOperation> operations) {
  std::vector<uint32_t> paths(operations.size());
  std::map<ProcessId, std::vector<uint32_t>> processes;
  for (size_t i = 0; i < operations.size(); ++i) {
    const PhaseOperation& operation = operations[i];
    if (!operation.node) continue;
    paths[i] = levels.at(operation.node).layer_path;
    if (operation.thread) {
      processes[profile.thread(operation.thread).process].push_back(static_cast<uint32_t>(i));
    }
  }
  if (levels.paths.empty()) return paths;
  const Names names(levels);
  const std::vector<NodeId> optimizer = OptimizerCalls(profile);
  const std::vector<bool> wraps = Wrappers(profile, levels);
  for (auto& [process, own] : processes) {
    std::stable_sort(own.begin(), own.end(), [&](uint32_t a, uint32_t b) {
      return std::tuple(WhenLaunched(operations[a]), operations[a].start) <
             std::tuple(WhenLaunched(operations[b]), operations[b].start);
    });
    Joiner joiner(profile, levels, names, optimizer, wraps, operations, paths);
    for (const uint32_t operation : own) joiner.Add(operation);
    joiner.Finish();
  }
  return paths;
}

std::vector<LayerShare> LayerShares(const Levels& levels,
                                    std::span<const PhaseOperation> operations,
                                    std::span<const uint32_t> paths) {
  std::map<std::pair<uint32_t, uint32_t>, LayerShare> shares;
  for (size_t i = 0; i < operations.size(); ++i) {
    const PhaseOperation& operation = operations[i];
    if (!operation.node) continue;
    const NodeLevel& level = levels.at(operation.node);
    if (!level.is_backward || level.layer_path != 0) continue;
    LayerShare& share = shares[{operation.node.value, paths[i]}];
    share.node = operation.node;
    share.layer_path = paths[i];
    share.weight =
        AddSaturated(share.weight, std::max<int64_t>(operation.end - operation.start, 0));
    ++share.calls;
  }
  std::vector<LayerShare> out;
  for (const auto& [_, share] : shares) out.push_back(share);
  return out;
}

}  // namespace gprofx
