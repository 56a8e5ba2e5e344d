#include "core/replay/step_graphs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/gpu/traced_times.h"
#include "core/replay/passes.h"

namespace gprofx {
namespace {

// Returns the windows to replay. If there are none, returns an empty list and sets out.reason.
std::vector<ReplayWindow> PiecesOf(const Profile& profile, const ReplayEvents& events,
                                   std::span<const LevelWindow> windows, bool or_whole,
                                   StepGraphs& out) {
  std::vector<ReplayWindow> pieces = ReplayWindows(profile, windows);
  if (!pieces.empty()) return pieces;
  if (!profile.phases.trains.empty()) {
    out.reason = windows.empty()
                     ? "the shown range contains no whole step"
                     : "no whole step has records of all its GPU work; record with --overhead none";
    return pieces;
  }
  std::optional<Passes> passes = FindPasses(profile, events, windows);
  if (!passes && or_whole && windows.empty()) {
    if (std::optional<ReplayWindow> all = WholeRun(profile, events)) {
      out.whole = true;
      pieces.push_back(std::move(*all));
      return pieces;
    }
  }
  if (!passes) {
    out.reason = "no steps were found; mark them with NVTX ranges with numbers";
    return pieces;
  }
  out.passes = std::move(passes->from);
  return std::move(passes->windows);
}

// Returns the events of each window, so that the graph of a window need not skip all others.
// `pieces` must be in order.
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

std::vector<ReplayWindow> ReplayWindows(const Profile& profile,
                                        std::span<const LevelWindow> windows) {
  std::vector<ReplayWindow> out;
  if (profile.phases.trains.empty()) return out;
  const StepTrain& train = profile.phases.trains.front();
  const auto shown = [&](const TimeRange& step) {
    return !profile.part ||
           (step.begin >= profile.part->range.begin && step.end <= profile.part->range.end);
  };
  const std::vector<TimeRange> traced = TracedTimes(windows, train.process);
  // Returns the number, from 1, of the window with records that contains the step; 0 = none.
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
      out.back().bounds.back() = step.begin;  // even if there is a pause between the steps
    }
    out.back().bounds.push_back(step.end);
    last = in;
  }
  return out;
}

StepGraphs MakeStepGraphs(const Profile& profile, const ReplayEvents& events,
                          std::span<const LevelWindow> windows, bool or_whole) {
  StepGraphs out;
  if (events.operations.empty()) {
    out.reason = "this profile contains no GPU work";
    return out;
  }
  const std::vector<ReplayWindow> pieces = PiecesOf(profile, events, windows, or_whole, out);
  out.graphs.reserve(pieces.size());
  if (pieces.size() > 1) out.slices = SliceEvents(events, pieces);
  for (size_t i = 0; i < pieces.size(); ++i) {
    out.graphs.emplace_back(profile, out.slices.empty() ? events : out.slices[i], pieces[i]);
  }
  return out;
}

std::vector<ReplayModel> StepGraphs::Models(double host_factor) const {
  std::vector<ReplayModel> models;
  models.reserve(graphs.size());
  for (const ReplayGraph& graph : graphs) {
    models.push_back(graph.Unchanged());
    models.back().host_factor = host_factor;
  }
  return models;
}

}  // namespace gprofx
