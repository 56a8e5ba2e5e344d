// The call tree of a page: every metric on one tree of call sites, cut to what a browser holds.
//
// Nodes are those of `report --tree` (folded, filtered, Python by line and everything else by
// function), in which each metric has its own values by thread. Beyond the budget the smallest
// branches become one node below their caller, so all sums stay what they are. Threads beyond the
// budget are one thread. Linear in nodes and values, but for sorting. Pure; one thread.
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
  size_t events = 250'000;  // samples, GPU operations and waits that are there one by one
  size_t slices = 300'000;  // sums of all others, by part of the time, thread and node
};

struct PageNode {
  uint32_t parent = 0;   // index; the root is its own parent
  uint32_t site = 0;     // PageTree::sites; 0 = the root
  uint32_t seen_as = 0;  // a site: the user's Python line of this stack; 0 = there is none
};

// What a node is about, and the function that tables know it by.
struct PageSite {
  Label label;
  uint32_t function = 0;  // PageTree::functions
};

struct PageThread {
  ThreadId id;           // 0 = all threads that are not in the page one by one
  uint32_t process = 0;  // PageTree::processes
  std::string name;      // unescaped
  int64_t tid = 0;
  size_t others = 0;  // how many threads this one stands for beside itself
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

// What a stream of events tells of a metric over time.
enum class PageEvents : uint8_t { kNone, kSamples, kWork, kWaits };

struct PageMetric {
  MetricId id;
  PageEvents events = PageEvents::kNone;
  int64_t sum = 0;                // over the whole profile: the base of percentages
  std::vector<PageValue> values;  // by thread, then node; never 0
};

struct PageTree {
  std::vector<PageNode> nodes;  // [0] is the root; parents first
  std::vector<PageSite> sites;  // [0] is the root's
  std::vector<Label> functions;
  std::vector<PageThread> threads;
  std::vector<PageProcess> processes;
  std::vector<PageMetric> metrics;  // the first is the one to begin with
  size_t left_out = 0;              // nodes that are summed up in others

  // By node: its place in the order of weight, the root first and every parent before its children.
  std::vector<uint32_t> rank;
  uint32_t rest_site = 0;                          // see RestBelow; 0 = nothing is left out
  std::unordered_map<uint32_t, uint32_t> rest_of;  // by the node above

  // Where the values of a node, or of a thread, of the profile are.
  static constexpr uint32_t kNowhere = UINT32_MAX;  // a filter takes it out
  std::vector<uint32_t> node_of;                    // by NodeId::index()
  std::vector<uint32_t> thread_of;  // by ThreadId::value; [0] of values without a thread
};

// The node that stands for what is left out below `above`: found or made as the last one, without a
// rank. What would lie below such a node belongs to it. Its label is called kSmallBranches.
uint32_t RestBelow(PageTree& page, uint32_t above);
inline constexpr char kSmallBranches[] = "[smaller branches]";

PageTree MakePageTree(const Profile& profile, const Kept& kept, MetricId first, bool all_frames,
                      const PageBudget& budget);

}  // namespace gprofx
