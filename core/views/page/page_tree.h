// Builds the call tree of a page (HTML report): all metrics on one tree of call sites, cut to a
// size that a browser can handle.
//
// The nodes are those of `report --tree`: folded, filtered, Python by line and other code by
// function. Each metric has its own values per node and thread. If the tree exceeds the budget, its
// smallest branches are merged into one node below their caller, which preserves all sums. Threads
// beyond the budget are merged into one thread. Linear in nodes and values, except for sorting.
// Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/views/call_tree.h"
#include "core/views/group.h"
#include "core/views/query.h"

namespace gprofx {

struct PageBudget {
  size_t nodes = 60'000;
  size_t values = 400'000;  // of all metrics together
  size_t threads = 64;
  size_t events = 250'000;  // individual samples, GPU operations and waits
  size_t slices = 300'000;  // sums of the other events, by part of the timeline, thread and node
};

struct PageNode {
  uint32_t parent = 0;   // index; the root is its own parent
  uint32_t site = 0;     // PageTree::sites; 0 = the root
  uint32_t seen_as = 0;  // site of the user's Python line of this stack; 0 = none
};

// A call site. `function` is the function that contains it, which tables show.
struct PageSite {
  Label label;
  uint32_t function = 0;  // PageTree::functions
  bool own = false;       // the program's own code, see naming/seen_as.h
  std::string library;    // of other code; "" = unknown, or GPU code
};

struct PageThread {
  ThreadId id;           // 0 = the thread that holds all merged threads
  uint32_t process = 0;  // PageTree::processes
  std::string name;      // unescaped
  int64_t tid = 0;
  size_t others = 0;  // number of threads merged into this one
};

struct PageProcess {
  ProcessId id;  // 0 = unknown
  std::string name;
  int64_t pid = 0;
  int32_t rank = -1;  // in a distributed run; -1 = unknown
};

struct PageValue {
  uint32_t thread = 0, node = 0;
  int64_t self = 0;
};

// The kind of events that shows how a metric develops over time.
enum class PageEvents : uint8_t { kNone, kSamples, kWork, kWaits };

struct PageMetric {
  MetricId id;
  PageEvents events = PageEvents::kNone;
  int64_t sum = 0;                // over the whole profile; the 100 % of percentages
  std::vector<PageValue> values;  // sorted by thread, then node; never 0
};

struct PageTree {
  std::vector<PageNode> nodes;  // [0] is the root; parents first
  std::vector<PageSite> sites;  // [0] is the root's
  std::vector<Label> functions;
  std::vector<PageThread> threads;
  std::vector<PageProcess> processes;
  std::vector<PageMetric> metrics;  // the first is the default
  size_t left_out = 0;              // number of nodes merged into others

  // Rank of each node by weight, by position in `nodes`. The root is first, and parents precede
  // their children.
  std::vector<uint32_t> rank;
  // Site of the nodes that hold merged branches (RestBelow); 0 = nothing is merged.
  uint32_t rest_site = 0;
  // By parent node: the node that holds its merged branches.
  std::unordered_map<uint32_t, uint32_t> rest_of;

  // Map nodes and threads of the profile to those of the page.
  static constexpr uint32_t kNowhere = UINT32_MAX;  // removed by a filter
  std::vector<uint32_t> node_of;                    // by NodeId::index()
  std::vector<uint32_t> thread_of;  // by ThreadId::value; [0] is for values without a thread
};

// Returns the node that holds the merged branches below the node `above`. Adds it, without a rank,
// if there is none. If `above` is itself such a node, returns `above`. Such nodes have the label
// kSmallBranches.
uint32_t RestBelow(PageTree& page, uint32_t above);
inline constexpr char kSmallBranches[] = "[smaller branches]";

PageTree MakePageTree(const Profile& profile, const Kept& kept, MetricId first, bool all_frames,
                      const PageBudget& budget);

}  // namespace gprofx
