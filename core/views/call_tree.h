// Builds the calling-context tree that views show. It has one metric and all threads together;
// frames of no interest are folded, and filters are applied.
//
// Method: one pass over the nodes of the profile, parents first. A node whose frame is folded maps
// to its nearest ancestor that is not folded. A node whose stack is filtered out also maps to a
// node of the view, but adds no value. Linear in nodes and values. Invariant: the sum of `self`
// over all nodes = nodes[0].total = the profile's sum of the metric over the stacks that the
// filters keep. Sums saturate. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/model/profile.h"
#include "core/views/fold.h"
#include "core/views/naming/match.h"
#include "core/views/query.h"

namespace gprofx {

struct TreeNode {
  uint32_t parent = 0;  // index; the root is its own parent
  uint32_t key = 0;     // FrameId::value in a CallTree; the group in a grouped tree; 0 = the root
  int64_t self = 0, total = 0;                  // in the unit of the metric
  int64_t self_samples = 0, total_samples = 0;  // 0 if the profile has no sample counts
};

// A part of the self time of a Python node. It is the time that native code of one library ran for
// the Python line, or the time that the line waited.
struct NativePart {
  uint32_t node = 0;
  ModuleId library;  // 0 = the line waited
  int64_t self = 0;
};

struct CallTree {
  std::vector<TreeNode> nodes;  // [0] is the root; parents first
  // How the frames were folded. Empty if the keys are not frames.
  Folding folding;
  std::vector<NativePart> native;  // set for CodeView::kPython; any number per node
};

inline size_t ParentIndex(const TreeNode& node, size_t) { return node.parent; }
// Returns the frame of a node. The keys of its tree must be frames.
inline FrameId FrameOf(const TreeNode& node) { return FrameId{node.key}; }

struct Filters {
  std::optional<Pattern> focus, ignore;
};

// A flag for each node of the profile: 1 = its stack passes the filters, which match the names and
// files of all frames of the stack.
using Kept = std::vector<uint8_t>;
Kept KeptStacks(const Profile& profile, const Filters& filters);

// Builds the tree. In it, one frame may represent a family of functions or a library
// (CallTree::folding); it is then the key of all their nodes.
//
// Functions that an interpreter function calls inside the interpreter count as part of it. Garbage
// collection is an exception: any function may start it, so it is shown separately.
//
// `holder_of`, if given, receives for each node of the profile (by index) the node of the tree that
// holds its self value, or kNoHolder if a filter removes it. The tree then has nodes for the values
// of every metric.
//
// `own`, if not empty, has a flag for each frame that says whether it is own code (code/owners.h).
// Other frames count as part of the nearest own frame towards the root, or as part of the root if
// there is none.
inline constexpr uint32_t kNoHolder = UINT32_MAX;
CallTree BuildCallTree(const Profile& profile, MetricId metric, const Kept& kept, bool all_frames,
                       std::vector<uint32_t>* holder_of = nullptr, CodeView code = CodeView::kMixed,
                       std::span<const uint8_t> own = {});

// True if the metric counts GPU work or waiting for it. CPU samples do not count for such a metric,
// so all sample counts in its tree are 0.
bool IsGpuMetric(const Metric& metric);

// Returns the sum of a metric over the whole profile, the base of percentages.
int64_t MetricSum(const Profile& profile, MetricId metric);

// Returns `tree` with new keys: `key_of` has the new key of each node. Siblings with the same key
// are merged, and nodes with key 0 are merged into their parent. If `places` is given, it receives
// the new index of each node of `tree`.
CallTree Regroup(const CallTree& tree, const std::vector<uint32_t>& key_of,
                 std::vector<uint32_t>* places = nullptr);

// The children of all nodes, in one list. The children of node i begin at list[begin[i]] and end
// before list[begin[i + 1]].
struct ChildTable {
  std::vector<uint32_t> begin, list;
};
ChildTable ChildrenOf(const CallTree& tree);

}  // namespace gprofx
