#include "core/views/page/page_tree.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/gpu/gpu.h"
#include "core/model/processes.h"
#include "core/model/sources.h"
#include "core/views/code/owners.h"
#include "core/views/naming/seen_as.h"
#include "core/views/verdict/own_code.h"

namespace gprofx {
namespace {

// The whole tree of call sites, before it is cut.
struct Whole {
  CallTree tree;  // keys are groups of `sites`
  Groups sites;
  std::vector<uint32_t> function_of;  // by site: group in `functions`
  Groups functions;
  std::vector<uint8_t> own;       // by site: 1 = the program's own code
  std::vector<uint32_t> seen_as;  // by node of `tree`: site
  std::vector<uint32_t> node_of;  // by NodeId::index(): node of `tree`
};

Whole MakeWhole(const Profile& profile, MetricId metric, const Kept& kept, bool all_frames) {
  Whole whole;
  std::vector<uint32_t> holders, places;
  const CallTree frames = BuildCallTree(profile, metric, kept, all_frames, &holders);
  whole.sites = GroupNodes(profile, frames, By::kCallSite);
  whole.functions = GroupNodes(profile, frames, By::kFunction);
  const std::vector<SeenAs::Lines> seen = SeenAsLines(profile, frames.nodes);
  whole.tree = Regroup(frames, whole.sites.of_node, &places);
  whole.function_of.resize(whole.sites.first.size() + 1);
  std::vector<uint32_t> site_of(profile.frames.size() + 1);
  whole.own.resize(whole.function_of.size());
  const bool only_user = HasUserCode(profile);
  for (size_t i = 1; i < frames.nodes.size(); ++i) {
    const uint32_t site = whole.sites.of_node[i];
    const FrameId own = only_user ? seen[i].user : seen[i].best();
    if (own && own == FrameOf(frames.nodes[i])) whole.own[site] = 1;
    whole.function_of[site] = whole.functions.of_node[i];
    site_of[frames.nodes[i].key] = site;
  }
  whole.seen_as.resize(whole.tree.nodes.size());
  for (size_t i = 0; i < frames.nodes.size(); ++i) {
    whole.seen_as[places[i]] = site_of[seen[i].best().value];
  }
  whole.node_of.reserve(holders.size());
  for (const uint32_t holder : holders) {
    whole.node_of.push_back(holder != kNoHolder ? places[holder] : PageTree::kNowhere);
  }
  return whole;
}

// Returns the weight of each node: the largest share of any metric that its subtree has.
std::vector<double> Weights(const Profile& profile, const Whole& whole,
                            const std::vector<PageMetric>& metrics) {
  const std::vector<TreeNode>& nodes = whole.tree.nodes;
  std::vector<double> weights(nodes.size()), sums(nodes.size());
  for (const PageMetric& metric : metrics) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (const Value& value : profile.values) {
      if (value.metric != metric.id || !value.node) continue;
      const uint32_t node = whole.node_of[value.node.index()];
      if (node != PageTree::kNowhere) sums[node] += static_cast<double>(value.self);
    }
    for (size_t i = nodes.size() - 1; i > 0; --i) sums[nodes[i].parent] += sums[i];
    if (!(sums[0] > 0)) continue;
    for (size_t i = 0; i < nodes.size(); ++i) weights[i] = std::max(weights[i], sums[i] / sums[0]);
  }
  weights[0] = 2;  // always keep the root
  return weights;
}

// Returns the minimum weight of kept nodes. It is chosen such that about `most` nodes reach it.
// Nodes of weight 0 are never kept.
double LeastWeight(std::vector<double> weights, size_t most) {
  constexpr double kSomething = 1e-300;
  if (weights.size() <= most) return kSomething;
  const auto nth = weights.begin() + static_cast<ptrdiff_t>(most);
  std::nth_element(weights.begin(), nth, weights.end(), std::greater<>());
  return std::max(*nth, kSomething);
}

class Cutter {
 public:
  Cutter(const Profile& profile, const Whole& whole, PageTree& page)
      : profile_(profile), whole_(whole), page_(page) {
    page_.nodes.emplace_back();
    page_.sites.push_back({{FrameKind::kRoot, "[all]"}, 0});
    page_.functions.push_back({FrameKind::kRoot, "[all]"});
  }

  void Cut(const std::vector<double>& weights, double least) {
    std::vector<uint32_t> place(whole_.tree.nodes.size());
    for (size_t i = 1; i < place.size(); ++i) {
      const TreeNode& node = whole_.tree.nodes[i];
      const uint32_t above = place[node.parent];
      if (weights[i] >= least) {
        place[i] = Append({above, Site(node.key), Site(whole_.seen_as[i])});
        kept_weights_.resize(page_.nodes.size());
        kept_weights_[place[i]] = weights[i];
      } else if (weights[i] > 0) {
        place[i] = RestBelow(page_, above);
        ++page_.left_out;
      } else {
        place[i] = above;  // no value to merge
      }
    }
    page_.node_of = whole_.node_of;
    for (uint32_t& node : page_.node_of) {
      if (node != PageTree::kNowhere) node = place[node];
    }
    RankNodes();
  }

 private:
  uint32_t Append(const PageNode& node) {
    page_.nodes.push_back(node);
    return static_cast<uint32_t>(page_.nodes.size() - 1);
  }

  void RankNodes() {
    kept_weights_.resize(page_.nodes.size());
    kept_weights_[0] = 2;
    std::vector<uint32_t> order(page_.nodes.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return kept_weights_[a] > kept_weights_[b]; });
    page_.rank.resize(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) page_.rank[order[i]] = i;
  }

  // Returns the page's number for a site. Sites and functions are numbered when they are first
  // used.
  uint32_t Site(uint32_t group) {
    if (group == 0) return 0;
    const auto [found, made] = sites_.try_emplace(group, page_.sites.size());
    if (made) {
      const bool own = whole_.own[group] != 0;
      page_.sites.push_back({LabelOf(profile_, whole_.sites, group),
                             FunctionOf(whole_.function_of[group]), own,
                             own ? "" : OwnerOf(profile_, FrameOf(group))});
    }
    return found->second;
  }

  FrameId FrameOf(uint32_t group) const { return whole_.sites.first[group - 1]; }

  uint32_t FunctionOf(uint32_t group) {
    const auto [found, made] = functions_.try_emplace(group, page_.functions.size());
    if (made) page_.functions.push_back(LabelOf(profile_, whole_.functions, group));
    return found->second;
  }

  const Profile& profile_;
  const Whole& whole_;
  PageTree& page_;
  std::vector<double> kept_weights_;  // by node of the page; 0 for nodes of merged branches
  std::unordered_map<uint32_t, uint32_t> sites_, functions_;
};

std::vector<PageMetric> ChooseMetrics(const Profile& profile, MetricId first) {
  const bool estimated = static_cast<bool>(profile.FindMetric(kMetricGpuEstimated));
  std::vector<PageMetric> metrics;
  const auto add = [&](MetricId id, PageEvents events) {
    if (!id) return;
    for (const PageMetric& metric : metrics) {
      if (metric.id == id) return;
    }
    const int64_t sum = MetricSum(profile, id);
    if (sum != 0) metrics.push_back({id, events, sum, {}});
  };
  const auto events_of = [&](MetricId id) {
    const std::string& name = profile.metrics[id.index()].name;
    const auto clock = profile.meta.find("clock");
    const bool is_clock = clock == profile.meta.end() ? name == "cpu" : name == clock->second;
    return is_clock                 ? PageEvents::kSamples
           : name == kMetricGpu     ? PageEvents::kWork
           : name == kMetricGpuWait ? PageEvents::kWaits
                                    : PageEvents::kNone;
  };
  const auto find = [&](const char* name) { return profile.FindMetric(name); };
  for (const MetricId id :
       {first, find("cpu"), find("wall"), estimated ? find(kMetricGpuEstimated) : MetricId{},
        find(kMetricGpu), find(kMetricGpuWait), find(kMetricPcSamples)}) {
    if (id) add(id, events_of(id));
  }
  return metrics;
}

// Keeps the `most` threads with the largest shares of the metrics and sets PageTree::thread_of.
void ChooseThreads(const Profile& profile, const std::vector<PageMetric>& metrics, size_t most,
                   PageTree& page) {
  const size_t count = profile.threads.size() + 1;
  std::vector<double> weights(count);
  for (const PageMetric& metric : metrics) {
    for (const Value& value : profile.values) {
      if (value.metric == metric.id) {
        weights[value.thread.value] +=
            static_cast<double>(value.self) / static_cast<double>(metric.sum);
      }
    }
  }
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < count; ++i) {
    if (weights[i] > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return weights[a] > weights[b]; });
  const std::vector<ProcessId> last = LastPrograms(profile);
  const std::vector<Source> sources = SourcesOf(profile);
  std::unordered_map<uint32_t, uint32_t> process_of;
  const auto process = [&](ProcessId id) {
    const auto [found, made] = process_of.try_emplace(id.value, page.processes.size());
    if (made) {
      PageProcess row{id, "[no process]"};
      if (id) {
        row.name = profile.Text(profile.process(id).name);
        row.pid = profile.process(id).pid;
        const SourceId source = SourceOf(profile, id);
        if (source && source.index() < sources.size()) row.rank = sources[source.index()].rank;
      }
      page.processes.push_back(std::move(row));
    }
    return found->second;
  };
  page.thread_of.assign(count, PageTree::kNowhere);
  for (size_t i = 0; i < order.size(); ++i) {
    const Thread* thread = order[i] == 0 ? nullptr : &profile.threads[order[i] - 1];
    if (i >= most) {  // all others share the last thread
      if (i == most) page.threads.push_back({{}, process({}), "other threads"});
      page.threads.back().others += 1;
    } else {
      PageThread row{ThreadId{order[i]}};
      const ProcessId own = thread != nullptr ? thread->process : ProcessId{};
      row.process = process(own ? last[own.index()] : own);
      row.name = thread != nullptr ? profile.Text(thread->name) : "[no thread]";
      row.tid = thread != nullptr ? thread->tid : 0;
      page.threads.push_back(std::move(row));
    }
    page.thread_of[order[i]] = static_cast<uint32_t>(page.threads.size() - 1);
  }
}

void MergeEqual(std::vector<PageValue>& values) {
  std::sort(values.begin(), values.end(), [](const PageValue& a, const PageValue& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.node < b.node;
  });
  size_t end = 0;
  for (const PageValue& value : values) {
    if (end > 0 && values[end - 1].thread == value.thread && values[end - 1].node == value.node) {
      values[end - 1].self = AddSaturated(values[end - 1].self, value.self);
    } else {
      values[end++] = value;
    }
  }
  values.resize(end);
  std::erase_if(values, [](const PageValue& value) { return value.self == 0; });
}

size_t FillValues(const Profile& profile, PageTree& page) {
  std::vector<PageMetric*> by_id(profile.metrics.size());
  for (PageMetric& metric : page.metrics) {
    metric.values.clear();
    by_id[metric.id.index()] = &metric;
  }
  for (const Value& value : profile.values) {
    if (!value.metric || !value.node || by_id[value.metric.index()] == nullptr) continue;
    const uint32_t node = page.node_of[value.node.index()];
    const uint32_t thread = page.thread_of[value.thread.value];
    if (node == PageTree::kNowhere || thread == PageTree::kNowhere) continue;
    by_id[value.metric.index()]->values.push_back({thread, node, value.self});
  }
  size_t all = 0;
  for (PageMetric& metric : page.metrics) {
    MergeEqual(metric.values);
    all += metric.values.size();
  }
  return all;
}

}  // namespace

uint32_t RestBelow(PageTree& page, uint32_t above) {
  if (page.rest_site == 0) {
    const Label label{FrameKind::kTruncated, kSmallBranches};
    page.rest_site = static_cast<uint32_t>(page.sites.size());
    page.sites.push_back({label, static_cast<uint32_t>(page.functions.size())});
    page.functions.push_back(label);
  }
  if (page.nodes[above].site == page.rest_site) return above;
  const auto [found, made] = page.rest_of.try_emplace(above, page.nodes.size());
  if (made) page.nodes.push_back({above, page.rest_site, page.nodes[above].seen_as});
  return found->second;
}

PageTree MakePageTree(const Profile& profile, const Kept& kept, MetricId first, bool all_frames,
                      const PageBudget& budget) {
  PageTree page;
  page.metrics = ChooseMetrics(profile, first);
  const Whole whole = MakeWhole(profile, first, kept, all_frames);
  const std::vector<double> weights = Weights(profile, whole, page.metrics);
  Cutter(profile, whole, page).Cut(weights, LeastWeight(weights, budget.nodes));
  // Reduce the number of threads until the values fit the budget.
  for (size_t threads = budget.threads;; threads /= 2) {
    page.threads.clear();
    page.processes.clear();
    ChooseThreads(profile, page.metrics, threads, page);
    if (FillValues(profile, page) <= budget.values || threads == 0) break;
  }
  return page;
}

}  // namespace gprofx
