// The calling-context tree as a view: one metric, all threads together, plumbing folded, filters
// applied.
//
// Method: one pass over the nodes of the profile, parents first. A node whose frame is folded
// stands for its nearest staying ancestor; a node whose stack is filtered out keeps its place but
// no value. Linear in nodes and values. Invariant: the sum of `self` over all nodes =
// nodes[0].total = the profile's sum of the metric over the stacks that the filters keep. Sums
// saturate. Not for several threads at once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/profile.h"
#include "core/views/fold.h"
#include "core/views/naming/match.h"
#include "core/views/query.h"

namespace gprofx {

struct TreeNode {
  uint32_t parent = 0;  // index; the root is its own parent
  uint32_t key = 0;     // FrameId::value in a CallTree, a group in a grouped tree; 0 = the root
  int64_t self = 0, total = 0;                  // in the unit of the metric
  int64_t self_samples = 0, total_samples = 0;  // 0 where the profile counts none
};

// Of a node's own time: what a library did for its Python line.
struct NativePart {
  uint32_t node = 0;
  ModuleId library;
  int64_t self = 0;
};

struct CallTree {
  std::vector<TreeNode> nodes;  // [0] is the root; parents first
  // Of a tree whose keys are frames; empty in others.
  Folding folding;
  std::vector<NativePart> native;  // CodeView::kPython: any number for each node
};

inline size_t ParentIndex(const TreeNode& node, size_t) { return node.parent; }
// Of a tree whose keys are frames.
inline FrameId FrameOf(const TreeNode& node) { return FrameId{node.key}; }

struct Filters {
  std::optional<Pattern> focus, ignore;
};

// One flag per profile node: its stack passes the filters, judged by the names and files of all its
// frames.
using Kept = std::vector<uint8_t>;
Kept KeptStacks(const Profile& profile, const Filters& filters);

// `holder_of`, where given: node of the profile (by index) -> node of the tree that has its self,
// kNoHolder where a filter takes it away. The tree has a place for the values of every metric then.
// A frame that stands for a family of functions or for a library (CallTree::folding) is the key of
// all of them. Below a function of the interpreter that stays, its internals are a part of it; only
// garbage collection, which any of them may start, is told apart.
inline constexpr uint32_t kNoHolder = UINT32_MAX;
CallTree BuildCallTree(const Profile& profile, MetricId metric, const Kept& kept, bool all_frames,
                       std::vector<uint32_t>* holder_of = nullptr,
                       CodeView code = CodeView::kMixed);

// Counts what a GPU did, or what waited for one: CPU samples have nothing to do with it, and the
// numbers of samples in a tree of such a metric are 0.
bool IsGpuMetric(const Metric& metric);

// The sum of a metric over the whole profile: the base of percentages.
int64_t MetricSum(const Profile& profile, MetricId metric);

// Merges siblings of the same key: key_of[node]. Keys of 0 merge into the parent. With `places`,
// these are filled in: where each node of `tree` went.
CallTree Regroup(const CallTree& tree, const std::vector<uint32_t>& key_of,
                 std::vector<uint32_t>* places = nullptr);

// Children of each node, compressed: those of `i` are list[begin[i]] .. list[begin[i + 1]].
struct ChildTable {
  std::vector<uint32_t> begin, list;
};
ChildTable ChildrenOf(const CallTree& tree);

}  // namespace gprofx
