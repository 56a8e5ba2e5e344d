// Merges the call trees of two versions into one. Each stack of functions occurs once, with the
// time that the runs of each side spent there.
//
// Stacks match if all their functions match (key.h); lines do not count. Only a given number of
// nodes is kept. The others are merged into an extra child of their nearest kept caller. The sums
// of both sides therefore stay exact. Linear in nodes of all profiles, except for sorting. Pure;
// one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/compare/run.h"
#include "core/model/profile.h"
#include "core/views/query.h"

namespace gprofx::compare {

enum class Side : uint8_t { kBase, kHead };
inline constexpr size_t kSides = 2;

struct TreeDiff {
  struct Node {
    uint32_t parent = 0;    // index; the root is its own parent
    uint32_t function = 0;  // 0 = the root
  };
  struct Metric {
    std::string name;                   // "cpu", "gpu"
    std::vector<int64_t> self[kSides];  // ns by node, summed over all runs of a side
  };
  std::vector<Node> nodes;      // [0] is the root; parents first
  std::vector<Part> functions;  // the head's description if it has the function; times are not set
  std::vector<std::string> keys;  // of functions, see key.h
  std::vector<Metric> metrics;    // the metric of functions, then that of kernels
  size_t left_out = 0;            // number of nodes merged into others
};

class TreeMerge {
 public:
  // `renamed` maps the key of a function in the base to its key in the head.
  explicit TreeMerge(std::map<std::string, std::string> renamed = {});

  // Adds the call tree of a run of `side`. `code` selects which functions are compared.
  void Add(const Profile& profile, Side side, CodeView code = CodeView::kMixed);
  // Returns the tree with the `most_nodes` largest nodes. Each has at most one extra child for the
  // rest. The object must not be used afterwards.
  TreeDiff Finish(size_t most_nodes);

 private:
  void AddMetric(const Profile& profile, MetricId metric, Side side, CodeView code, size_t slot);
  uint32_t FunctionOf(const Part& part, Side side);
  uint32_t ChildOf(uint32_t parent, uint32_t function);
  std::vector<double> Weights() const;
  void DropUnusedFunctions();

  TreeDiff all_;
  std::map<std::string, std::string> renamed_;
  std::unordered_map<std::string, uint32_t> function_of_;  // by key
  std::vector<bool> is_of_head_;                           // by function
  std::unordered_map<uint64_t, uint32_t> child_of_;        // by node and function
};

}  // namespace gprofx::compare
