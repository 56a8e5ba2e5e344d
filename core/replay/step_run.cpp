#include "core/replay/step_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "core/base/arithmetic.h"
#include "core/base/quantile.h"

namespace gprofx {
namespace {

constexpr ReplayLinkName kLinkNames[kReplayLinks] = {{"kernels", "kernels"},
                                                     {"copies", "copies and memsets"},
                                                     {"collectives", "collectives"},
                                                     {"gaps", "gaps between operations"},
                                                     {"launch_latency", "from launch to start"},
                                                     {"host", "host"},
                                                     {"return", "returning from waiting calls"}};

void Raise(int64_t& sum, int64_t by) { sum = AddSaturated(sum, by); }

class Replayed {
 public:
  Replayed(const Profile& profile, const ReplayGraph& graph, const ReplayModel& model,
           const std::vector<bool>& collective)
      : profile_(profile),
        graph_(graph),
        model_(model),
        collective_(collective),
        times_(graph.Replay(model)) {
    done = graph.StepsDone(model, times_);
  }

  std::vector<HostNs> done;
  HostNs begin() const { return times_.begin[graph_.bounds().front()]; }

  // Adds the times along the critical path: the chain of dependencies backwards from the node that
  // was done last.
  void AddChain(ReplayChain& chain) const {
    const std::vector<ReplayNode>& nodes = graph_.nodes();
    uint32_t at = kNoNode;
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      if (EndOf(i) == done.back() &&
          (nodes[i].kind == ReplayNode::kOperation || i == graph_.bounds().back())) {
        at = i;
      }
    }
    while (at != kNoNode) {
      const ReplayNode& node = nodes[at];
      // Time before the first step belongs to no step, so it does not count.
      const auto inside = [&](HostNs begin, HostNs end) {
        return std::max<int64_t>(SubtractSaturated(end, std::max(begin, done.front())), 0);
      };
      if (node.kind == ReplayNode::kOperation) {
        Raise(chain[LinkOf(node)], inside(times_.begin[at], EndOf(at)));
      }
      const uint8_t edge = times_.last[at];
      if (edge >= ReplayNode::kEdges) break;
      const uint32_t from = node.from[edge];
      ReplayLink link = kGaps;
      if (node.kind != ReplayNode::kOperation) {
        link = edge == ReplayNode::kCause ? kReturn : kHost;
      } else if (edge == ReplayNode::kCause) {
        link = kLatency;
      }
      Raise(chain[link], inside(EndOf(from), times_.begin[at]));
      at = from;
    }
  }

  // Returns how long any operation ran between the begin and the end of the steps.
  int64_t Busy() const {
    std::vector<std::pair<HostNs, HostNs>> work;
    for (uint32_t i = 0; i < graph_.nodes().size(); ++i) {
      if (graph_.nodes()[i].kind != ReplayNode::kOperation) continue;
      const HostNs begin = std::max(times_.begin[i], done.front());
      const HostNs end = std::min(EndOf(i), done.back());
      if (begin < end) work.push_back({begin, end});
    }
    std::sort(work.begin(), work.end());
    int64_t busy = 0;
    HostNs until = kEarliest;
    for (const auto& [begin, end] : work) {
      if (end <= until) continue;
      Raise(busy, SubtractSaturated(end, std::max(begin, until)));
      until = end;
    }
    return busy;
  }

 private:
  HostNs EndOf(uint32_t i) const { return AddSaturated(times_.begin[i], model_.length[i]); }
  ReplayLink LinkOf(const ReplayNode& node) const {
    const ReplayOperation& operation = graph_.events().operations[node.event];
    if (operation.kind != ReplayOperation::kKernel) return kCopies;
    const FrameId frame = operation.node ? profile_.node(operation.node).frame : FrameId{};
    return frame && collective_[frame.index()] ? kCollectives : kKernels;
  }

  const Profile& profile_;
  const ReplayGraph& graph_;
  const ReplayModel& model_;
  const std::vector<bool>& collective_;
  ReplayTimes times_;
};

// Returns what limits a step (StepRun::limit): "gpu" or "host" if nearly all of the chain belongs
// to it, otherwise "sync".
std::string LimitOf(const ReplayChain& chain, double busy) {
  double gpu = 0, all = 0;
  for (size_t i = 0; i < kReplayLinks; ++i) {
    const auto ns = static_cast<double>(chain[i]);
    all += ns;
    if (i <= kGaps) gpu += ns;
  }
  if (all <= 0) return "gpu";
  const double share = gpu / all;
  if (share >= kMaxOf || (share >= 0.5 && busy >= kMaxOf)) return "gpu";
  return (all - gpu) / all >= kMaxOf ? "host" : "sync";
}

}  // namespace

const ReplayLinkName& NameOf(ReplayLink link) { return kLinkNames[link]; }

// Returns the mean without the longest and the shortest fifth.
int64_t TrimmedMean(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t cut = values.size() / 5;
  const std::span<const int64_t> kept = std::span(values).subspan(cut, values.size() - 2 * cut);
  const int64_t sum = std::accumulate(kept.begin(), kept.end(), int64_t{0}, &AddSaturated);
  return sum / static_cast<int64_t>(kept.size());
}

int64_t StepRun::step_ns() const { return TrimmedMean(steps); }
double StepRun::busy() const {
  return all_ns <= 0 ? 0 : static_cast<double>(busy_ns) / static_cast<double>(all_ns);
}
std::string StepRun::limit() const { return LimitOf(chain, busy()); }

namespace {

void AddSteps(const std::vector<HostNs>& done, HostNs begin, StepRun& run) {
  for (size_t i = 1; i < done.size(); ++i) {
    run.steps.push_back(SubtractSaturated(done[i], done[i - 1]));
  }
  Raise(run.lead_ns, SubtractSaturated(done.front(), begin));
}

StepRun TimeSteps(const ReplayGraph& graph, const ReplayModel& model, StepRun run) {
  const ReplayTimes times = graph.Replay(model);
  AddSteps(graph.StepsDone(model, times), times.begin[graph.bounds().front()], run);
  return run;
}

}  // namespace

StepRun RunSteps(const Profile& profile, const StepGraphs& steps,
                 const std::vector<ReplayModel>& models, const std::vector<bool>& collective) {
  StepRun run;
  for (size_t k = 0; k < steps.graphs.size(); ++k) {
    const Replayed replayed(profile, steps.graphs[k], models[k], collective);
    const std::vector<HostNs>& done = replayed.done;
    AddSteps(done, replayed.begin(), run);
    replayed.AddChain(run.chain);
    Raise(run.busy_ns, replayed.Busy());
    Raise(run.all_ns, SubtractSaturated(done.back(), done.front()));
  }
  return run;
}

StepRun TimeSteps(const StepGraphs& steps, const std::vector<ReplayModel>& models) {
  StepRun run;
  for (size_t k = 0; k < steps.graphs.size(); ++k) {
    run = TimeSteps(steps.graphs[k], models[k], std::move(run));
  }
  return run;
}

int64_t StepWith(const StepGraphs& steps, double host_factor) {
  ReplayModel model;
  model.host_factor = host_factor;
  StepRun run;
  for (const ReplayGraph& graph : steps.graphs) run = TimeSteps(graph, model, std::move(run));
  return run.step_ns();
}

int64_t StepLike(const StepRun& now, const StepRun& then) {
  constexpr double kPause = 10;
  const double pause = kPause * static_cast<double>(Median(now.steps));
  double all_now = static_cast<double>(now.lead_ns), all_then = static_cast<double>(then.lead_ns);
  for (size_t i = 0; i < now.steps.size(); ++i) {
    if (static_cast<double>(now.steps[i]) > pause) continue;
    all_now += static_cast<double>(now.steps[i]);
    all_then += static_cast<double>(then.steps[i]);
  }
  if (all_now <= 0 || all_now == all_then) return now.step_ns();
  return std::llround(static_cast<double>(now.step_ns()) * all_then / all_now);
}

}  // namespace gprofx
