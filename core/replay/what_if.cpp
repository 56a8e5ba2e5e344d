#include "core/replay/what_if.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>

#include "core/arithmetic.h"
#include "core/choose_part.h"
#include "core/kernel_family.h"
#include "core/replay/changes.h"
#include "core/replay/graph.h"
#include "core/replay/passes.h"

namespace gprofx {
namespace {

constexpr double kMostOf = 0.9;  // of the time: this is what limits
constexpr double kRests = 0.7;   // a GPU that is busy for less has time to cool down

struct KindName {
  WhatIfChange::Kind kind;
  const char* word;
};
constexpr KindName kKinds[] = {{WhatIfChange::kPinMemory, "pin_memory"},
                               {WhatIfChange::kNoSync, "no-sync"},
                               {WhatIfChange::kFuse, "fuse"},
                               {WhatIfChange::kGraphs, "graphs"},
                               {WhatIfChange::kScale, "scale"}};
constexpr char kThereAre[] =
    "there are 'pin_memory', 'no-sync', 'no-sync FILE:LINE', 'fuse NAME', 'graphs' and 'scale NAME "
    "FACTOR'";

const char* WordOf(WhatIfChange::Kind kind) {
  for (const KindName& known : kKinds) {
    if (known.kind == kind) return known.word;
  }
  return "";
}

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Parts of the longest chain.
enum Link : size_t { kKernels, kCopies, kCollectives, kGaps, kLatency, kHost, kReturn, kLinks };
struct LinkName {
  const char* id;
  const char* title;
};
constexpr LinkName kLinkNames[kLinks] = {
    {"kernels", "kernels"},
    {"copies", "copies and memsets"},
    {"collectives", "collectives"},
    {"gaps", "gaps between operations"},
    {"launch_latency", "from launch to start"},
    {"host", "host"},
    {"return", "returning from waiting calls"}};
using Chain = std::array<int64_t, kLinks>;

void Raise(int64_t& sum, int64_t by) { sum = AddSaturated(sum, by); }

class Replayed {
 public:
  Replayed(const ReplayGraph& graph, const ReplayModel& model, const std::vector<bool>& collective)
      : graph_(graph), model_(model), collective_(collective), times_(graph.Replay(model)) {
    done = graph.StepsDone(model, times_);
  }

  std::vector<HostNs> done;

  // Walks from what was done last back to the begin.
  void AddChain(Chain& chain) const {
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
      // What was before the first step is not a part of any.
      const auto inside = [&](HostNs begin, HostNs end) {
        return std::max<int64_t>(SubtractSaturated(end, std::max(begin, done.front())), 0);
      };
      if (node.kind == ReplayNode::kOperation) {
        Raise(chain[LinkOf(node)], inside(times_.begin[at], EndOf(at)));
      }
      const uint8_t edge = times_.last[at];
      if (edge >= ReplayNode::kEdges) break;
      const uint32_t from = node.from[edge];
      Link link = kGaps;
      if (node.kind != ReplayNode::kOperation) {
        link = edge == ReplayNode::kCause ? kReturn : kHost;
      } else if (edge == ReplayNode::kCause) {
        link = kLatency;
      }
      Raise(chain[link], inside(EndOf(from), times_.begin[at]));
      at = from;
    }
  }

  // Time in which an operation ran, between the begin and the end of the steps.
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
  Link LinkOf(const ReplayNode& node) const {
    const ReplayOperation& operation = graph_.events().operations[node.event];
    if (operation.kind != ReplayOperation::kKernel) return kCopies;
    return operation.node && collective_[operation.node.index()] ? kCollectives : kKernels;
  }

  const ReplayGraph& graph_;
  const ReplayModel& model_;
  const std::vector<bool>& collective_;
  ReplayTimes times_;
};

std::vector<bool> CollectiveNodes(const Profile& profile) {
  std::vector<bool> of_frame, out;
  for (const Frame& frame : profile.frames) {
    of_frame.push_back(frame.kind == FrameKind::kGpuKernel && frame.function &&
                       IsCommunicationKernel(profile.Text(profile.function(frame.function).name)));
  }
  for (const Node& node : profile.nodes) out.push_back(node.frame && of_frame[node.frame.index()]);
  return out;
}

// Without the longest and the shortest fifth.
int64_t TrimmedMean(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t cut = values.size() / 5;
  const std::span<const int64_t> kept = std::span(values).subspan(cut, values.size() - 2 * cut);
  const int64_t sum = std::accumulate(kept.begin(), kept.end(), int64_t{0}, &AddSaturated);
  return sum / static_cast<int64_t>(kept.size());
}

// All pieces of a recording with one model each.
struct Run {
  std::vector<int64_t> steps;
  Chain chain{};
  int64_t busy = 0, all = 0;

  void Add(const Replayed& replayed) {
    const std::vector<HostNs>& done = replayed.done;
    for (size_t i = 1; i < done.size(); ++i) {
      steps.push_back(SubtractSaturated(done[i], done[i - 1]));
    }
    replayed.AddChain(chain);
    Raise(busy, replayed.Busy());
    Raise(all, SubtractSaturated(done.back(), done.front()));
  }
};

// What the chain is made of says what limits: the GPU's own pace, the host's, or that they take
// turns.
std::string LimitOf(const Chain& chain, double busy) {
  double gpu = 0, all = 0;
  for (size_t i = 0; i < kLinks; ++i) {
    const auto ns = static_cast<double>(chain[i]);
    all += ns;
    if (i <= kGaps) gpu += ns;
  }
  if (all <= 0) return "gpu";
  if (gpu / all >= kMostOf || busy >= kMostOf) return "gpu";
  return (all - gpu) / all >= kMostOf ? "host" : "sync";
}

WhatIfAnswer::Side SideOf(const Run& run) {
  WhatIfAnswer::Side side;
  side.step_ns = TrimmedMean(run.steps);
  side.busy = run.all <= 0 ? 0 : static_cast<double>(run.busy) / static_cast<double>(run.all);
  side.limit = LimitOf(run.chain, side.busy);
  return side;
}

int64_t StepWith(const std::vector<ReplayGraph>& graphs, double host_factor) {
  ReplayModel model;
  model.host_factor = host_factor;
  std::vector<int64_t> steps;
  for (const ReplayGraph& graph : graphs) {
    const std::vector<HostNs> done = graph.StepsDone(model, graph.Replay(model));
    for (size_t i = 1; i < done.size(); ++i) {
      steps.push_back(SubtractSaturated(done[i], done[i - 1]));
    }
  }
  return TrimmedMean(std::move(steps));
}

std::string Milliseconds(int64_t ns) {
  char text[40];
  snprintf(text, sizeof text, "%.3f ms", static_cast<double>(ns) / 1e6);
  return text;
}

// The factor for the times of the host with which a step takes as long as it is said to take; steps
// get longer with it, so halving finds it. Fills the reason where there is none.
double HostFactor(const std::vector<ReplayGraph>& graphs, const HostTimes& host,
                  WhatIfAnswer& answer) {
  constexpr double kLeast = 0.05;
  constexpr int kHalvings = 16;
  if (host.step_ns == 0) {
    if (host.factor != 1) {
      char text[120];
      snprintf(text, sizeof text, "times of the host are %.1f%% shorter: what recording cost them",
               100 * (1 - host.factor));
      answer.assumed.push_back(text);
    } else {
      answer.assumed.push_back(
          "times of the host are those while it was recorded; --step-time tells a step without it");
    }
    return host.factor;
  }
  double low = kLeast, high = 1;
  if (StepWith(graphs, high) <= host.step_ns) {
    answer.assumed.push_back("times of the host are those while it was recorded: its steps are no longer");
    return high;
  }
  if (const int64_t least = StepWith(graphs, low); least > host.step_ns) {
    answer.reason = "a step cannot take " + Milliseconds(host.step_ns) + ": the GPU alone needs " +
                    Milliseconds(least);
    return high;
  }
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (StepWith(graphs, middle) < host.step_ns ? low : high) = middle;
  }
  char text[120];
  snprintf(text, sizeof text, "times of the host are %.1f%% shorter, so that a step takes %s",
           100 * (1 - high), Milliseconds(host.step_ns).c_str());
  answer.assumed.push_back(text);
  return high;
}

void DescribeLimits(const ReplayEvents& events, int64_t guessed, bool collectives,
                    WhatIfAnswer& answer) {
  if (answer.then.busy >= kMostOf && answer.now.busy < kRests) {
    answer.not_modelled.push_back(
        "clocks: a GPU that works all the time may run its kernels slower than one that rests");
  }
  answer.assumed.push_back("kernels take as long as recorded, wherever they are not changed");
  if (guessed > 0) {
    answer.not_modelled.push_back(
        "events between streams are not in the profile: " + std::to_string(guessed) +
        " operations are taken to wait for another stream because they began right after its work");
  }
  if (collectives) {
    answer.not_modelled.push_back("collectives stay as recorded: other ranks are not replayed");
  }
  const auto unknown =
      std::count_if(events.operations.begin(), events.operations.end(),
                    [](const ReplayOperation& operation) { return operation.launch == 0; });
  if (unknown > 0) {
    answer.not_modelled.push_back(std::to_string(unknown) +
                                  " operations without a known launch stay behind their stream");
  }
}

// Nothing, and the reason: there are no steps.
std::vector<ReplayWindow> PiecesOf(const Profile& profile, const ReplayEvents& events,
                                   std::span<const LevelWindow> windows, WhatIfAnswer& answer) {
  std::vector<ReplayWindow> pieces = ReplayWindows(profile, windows);
  if (!pieces.empty()) return pieces;
  if (!profile.phases.trains.empty()) {
    answer.reason = windows.empty()
                        ? "no whole step lies in what is shown"
                        : "no whole step lies in a time in which records of GPU work were made; "
                          "record with --overhead none";
    return pieces;
  }
  std::optional<Passes> passes = windows.empty() ? FindPasses(profile, events) : std::nullopt;
  if (!passes) {
    answer.reason = "no steps were found; mark them with NVTX ranges that have numbers";
    return pieces;
  }
  answer.assumed.push_back("no steps were found; a step is from one launch by " + passes->from +
                           " to the next");
  pieces.push_back(std::move(passes->window));
  return pieces;
}

// The events of each piece, so that none looks at those of all others. Pieces are in order.
std::vector<ReplayEvents> SliceEvents(const ReplayEvents& events,
                                      std::span<const ReplayWindow> pieces) {
  std::vector<ReplayEvents> slices(pieces.size());
  const auto piece_at = [&](HostNs time) {
    const auto after = std::upper_bound(
        pieces.begin(), pieces.end(), time,
        [](HostNs wanted, const ReplayWindow& piece) { return wanted < piece.bounds.front(); });
    const auto at = static_cast<size_t>(after - pieces.begin());
    return at > 0 && time < pieces[at - 1].bounds.back() ? at - 1 : pieces.size();
  };
  for (const ReplayOperation& operation : events.operations) {
    const size_t launched = operation.launch != 0 ? piece_at(operation.launch) : pieces.size();
    const size_t started = piece_at(operation.start);
    if (launched < pieces.size()) slices[launched].operations.push_back(operation);
    if (started < pieces.size() && started != launched) {
      slices[started].operations.push_back(operation);
    }
  }
  for (const ReplayCall& call : events.calls) {
    const size_t piece = piece_at(call.begin);
    if (piece < pieces.size()) slices[piece].calls.push_back(call);
  }
  return slices;
}

}  // namespace

Result<WhatIfChange> ParseWhatIf(std::string_view text) {
  text = Trimmed(text);
  const size_t blank = text.find_first_of(" \t");
  const std::string_view word = text.substr(0, blank);
  std::string_view rest =
      blank == std::string_view::npos ? std::string_view() : Trimmed(text.substr(blank));
  const auto known = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const KindName& kind) { return word == kind.word; });
  if (known == std::end(kKinds)) {
    return Error{"'" + std::string(text) + "' is no change for --what-if", kThereAre};
  }
  WhatIfChange change;
  change.kind = known->kind;
  const bool takes_name = change.kind != WhatIfChange::kPinMemory && change.kind != WhatIfChange::kGraphs;
  const bool needs_name = change.kind == WhatIfChange::kFuse || change.kind == WhatIfChange::kScale;
  if ((!takes_name && !rest.empty()) || (needs_name && rest.empty())) {
    return Error{"'" + std::string(word) + "' of --what-if " +
                     (rest.empty() ? "needs a name" : "takes no name"),
                 kThereAre};
  }
  if (change.kind == WhatIfChange::kScale) {
    const size_t last = rest.find_last_of(" \t");
    const std::string factor(last == std::string_view::npos ? std::string_view()
                                                            : rest.substr(last + 1));
    char* end = nullptr;
    change.factor = factor.empty() ? -1 : strtod(factor.c_str(), &end);
    if (factor.empty() || end != factor.c_str() + factor.size() || !(change.factor >= 0) ||
        change.factor > 1000) {
      return Error{"'scale' of --what-if needs a name and a factor from 0 to 1000", kThereAre};
    }
    rest = Trimmed(rest.substr(0, last));
  }
  change.name = rest;
  return change;
}

std::string WhatIfText(const WhatIfChange& change) {
  std::string text = WordOf(change.kind);
  if (!change.name.empty()) text += " " + change.name;
  if (change.kind != WhatIfChange::kScale) return text;
  char factor[32];
  snprintf(factor, sizeof factor, " %g", change.factor);
  return text + factor;
}

std::vector<ReplayWindow> ReplayWindows(const Profile& profile,
                                        std::span<const LevelWindow> windows) {
  std::vector<ReplayWindow> out;
  if (profile.phases.trains.empty()) return out;
  const StepTrain& train = profile.phases.trains.front();
  const auto shown = [&](const TimeRange& step) {
    return !profile.part ||
           (step.begin >= profile.part->range.begin && step.end <= profile.part->range.end);
  };
  std::vector<TimeRange> traced;  // windows of a process do not overlap
  for (const LevelWindow& window : windows) {
    if (window.traced && window.process == train.process) {
      traced.push_back({window.begin, window.end});
    }
  }
  std::sort(traced.begin(), traced.end());
  // 0 = no records, else which window.
  const auto traced_in = [&](const TimeRange& step) -> size_t {
    if (windows.empty()) return 1;
    const auto after =
        std::upper_bound(traced.begin(), traced.end(), step.begin,
                         [](HostNs t, const TimeRange& window) { return t < window.begin; });
    if (after == traced.begin() || step.end > (after - 1)->end) return 0;
    return static_cast<size_t>(after - traced.begin());
  };
  size_t last = 0;
  for (const TimeRange& step : train.steps) {
    const size_t in = shown(step) ? traced_in(step) : 0;
    if (in == 0) {
      last = 0;
      continue;
    }
    if (in != last) {
      out.push_back({train.process, {step.begin}});
    } else {
      out.back().bounds.back() = step.begin;  // also where a pause lies between them
    }
    out.back().bounds.push_back(step.end);
    last = in;
  }
  return out;
}

WhatIfAnswer AnswerWhatIf(const Profile& profile, const ReplayEvents& events,
                          std::span<const LevelWindow> windows,
                          std::span<const WhatIfChange> changes, const HostTimes& host) {
  WhatIfAnswer answer;
  for (const WhatIfChange& change : changes) answer.changes.push_back(WhatIfText(change));
  if (events.operations.empty()) {
    answer.reason = "no work of a GPU is in this profile";
    return answer;
  }
  const std::vector<ReplayWindow> pieces = PiecesOf(profile, events, windows, answer);
  if (!answer.reason.empty()) return answer;
  std::vector<ReplayGraph> graphs;
  graphs.reserve(pieces.size());
  std::vector<ReplayEvents> slices;
  if (pieces.size() > 1) slices = SliceEvents(events, pieces);
  for (size_t i = 0; i < pieces.size(); ++i) {
    graphs.emplace_back(profile, slices.empty() ? events : slices[i], pieces[i]);
  }
  const double host_factor = HostFactor(graphs, host, answer);
  if (!answer.reason.empty()) return answer;
  std::vector<ChangeContext> contexts;
  for (const WhatIfChange& change : changes) {
    contexts.push_back(MakeChangeContext(profile, events, change, answer));
    if (!answer.reason.empty()) return answer;
  }
  const std::vector<bool> collective = CollectiveNodes(profile);
  std::map<std::string, int64_t> counts;
  Run now, then;
  int64_t guessed = 0;
  for (const ReplayGraph& graph : graphs) {
    ReplayModel model = UnchangedModel(graph);
    model.host_factor = host_factor;
    now.Add(Replayed(graph, model, collective));
    for (const ChangeContext& context : contexts) ApplyChange(context, graph, model, counts);
    then.Add(Replayed(graph, model, collective));
    guessed += graph.guessed_edges();
  }
  answer.steps = static_cast<int64_t>(now.steps.size());
  answer.recorded_ns = StepWith(graphs, 1);
  answer.now = SideOf(now);
  answer.then = SideOf(then);
  for (size_t i = 0; i < kLinks; ++i) {
    if (now.chain[i] == 0 && then.chain[i] == 0) continue;
    answer.parts.push_back({kLinkNames[i].id, kLinkNames[i].title, now.chain[i] / answer.steps,
                            then.chain[i] / answer.steps});
  }
  for (const auto& [what, count] : counts) {
    answer.changed.push_back(std::to_string(count) + " " + what);
  }
  if (counts.empty()) {
    answer.changed.push_back("nothing: no such work or call is in these steps");
  }
  DescribeLimits(events, guessed, now.chain[kCollectives] != 0 || then.chain[kCollectives] != 0,
                 answer);
  return answer;
}

}  // namespace gprofx
