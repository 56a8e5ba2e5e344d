#include "core/variability/sweep.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <tuple>
#include <unordered_map>

#include "core/variability/stages/sort_runs.h"
#include "core/variability/statistics/pairs.h"

namespace gprofx::variability {
namespace {

// Minimum idle time (ns) before an execution that counts as kAfterIdle.
constexpr int64_t kIdleBefore = 100'000;

constexpr int64_t kMinStretch = 5'000;  // ns; a smaller excess over the median may be chance
constexpr uint64_t kMaxDense = uint64_t{1} << 22;

// Numbers the combinations of group and lane in order of appearance. A file may have many groups
// and many lanes, but only few combinations.
class Slots {
 public:
  explicit Slots(const Plan& plan) : groups_(plan.groups.size()) {
    const uint64_t all = uint64_t{plan.lanes.size()} * groups_;
    if (all <= kMaxDense) dense_.resize(all, UINT32_MAX);
  }
  uint32_t Of(uint32_t lane, uint32_t base) {
    const uint64_t place = uint64_t{lane} * groups_ + base;
    uint32_t& slot =
        dense_.empty() ? sparse_.try_emplace(place, UINT32_MAX).first->second : dense_[place];
    if (slot == UINT32_MAX) slot = count_++;
    return slot;
  }
  uint32_t count() const { return count_; }

 private:
  const uint64_t groups_;
  uint32_t count_ = 0;
  std::vector<uint32_t> dense_;
  std::unordered_map<uint64_t, uint32_t> sparse_;
};

struct Running {
  Event event;
  // Values of the lane's clocks when the execution started.
  int64_t copies = 0, collectives = 0, kernels = 0, both = 0;
  bool after_idle = false, is_ours = false;
};

struct Lane {
  bool begun = false;
  std::vector<Running> running;  // usually few
  int64_t now = 0, idle_since = 0;
  // How long each clock of the lane has run, in ns. `both` runs while two or more copies run.
  int64_t copies = 0, collectives = 0, kernels = 0, both = 0, busy = 0;
  uint32_t count[kKinds] = {};
  bool after_collective = false;
  int64_t collective_end = 0, busy_then = 0;
  size_t step = 0;        // index of the step that contains or follows `now`
  int64_t measured = -1;  // index of the step of the last execution that AddExcess() measured
  std::vector<TimeRange>* busy_times = nullptr;
};

struct Recent {  // summary of one group on one lane
  bool seen = false;
  int64_t r = 0;
  uint32_t bin = UINT32_MAX;
  Cell* cells[2] = {};  // one for each cluster
  uint32_t shard = UINT32_MAX;
  Spread* spreads[2] = {};
};

bool IsBefore(const Event& a, const Event& b) {
  return std::tie(a.start, a.lane, a.stream, a.duration, a.group) <
         std::tie(b.start, b.lane, b.stream, b.duration, b.group);
}

class Sweep {
 public:
  Sweep(const Plan& plan, const Window& window, Tally& tally, BusyTimes* busy)
      : plan_(plan),
        window_(window),
        tally_(tally),
        busy_(busy),
        lanes_(plan.lanes.size()),
        slots_(plan) {
    tally_.shards.resize(plan.shards);
  }

  void Run(std::vector<Event>& events) {
    SortRuns(events, IsBefore);
    rows_.reserve(events.size());
    for (const Event& event : events) Begin(event);
    for (Lane& lane : lanes_) {
      if (lane.begun) AdvanceTo(lane, window_.end, &lane - lanes_.data());
      while (!lane.running.empty()) Retire(lane, 0);
    }
    MakePairs(plan_, rows_, slots_.count(), tally_);
  }

 private:
  void Begin(const Event& event) {
    Lane& lane = lanes_[event.lane];
    const int64_t start = std::max(event.start, window_.begin);
    if (!lane.begun) {
      lane.begun = true;
      lane.now = lane.idle_since = window_.begin == INT64_MIN ? start : window_.begin;
      if (busy_ != nullptr && plan_.lanes[event.lane].tells_idle) {
        lane.busy_times = &(*busy_)[event.lane];
      }
    }
    AdvanceTo(lane, start, event.lane);
    Running running{event, lane.copies, lane.collectives, lane.kernels, lane.both, false, false};
    running.after_idle = lane.running.empty() && start - lane.idle_since >= kIdleBefore;
    running.is_ours = event.start >= window_.begin && event.start < window_.end;
    if (running.is_ours) Count(event);
    if (running.is_ours && event.kind == Kind::kCollective && plan_.most_collectives > 0) {
      CollectiveTally one{event.lane, event.start, event.group, event.end(), -1, -1};
      if (lane.after_collective) {
        one.busy_before = lane.busy - lane.busy_then;
        one.idle_before = std::max<int64_t>(event.start - lane.collective_end - one.busy_before, 0);
      }
      tally_.collectives.push_back(one);
    }
    ++lane.count[static_cast<size_t>(event.kind)];
    lane.running.push_back(running);
  }

  // Advances the lane to `time`. Ends the running events that end by then, in order of their ends.
  void AdvanceTo(Lane& lane, int64_t time, ptrdiff_t index) {
    while (!lane.running.empty()) {
      size_t first = 0;
      for (size_t i = 1; i < lane.running.size(); ++i) {
        if (lane.running[i].event.end() < lane.running[first].event.end()) first = i;
      }
      const int64_t end = lane.running[first].event.end();
      if (end > time) break;
      MoveTo(lane, end, index);
      Retire(lane, first);
    }
    if (!lane.running.empty()) MoveTo(lane, time, index);
    lane.now = std::max(lane.now, time);
  }

  void MoveTo(Lane& lane, int64_t time, ptrdiff_t index) {
    const int64_t ns = time - lane.now;
    if (ns <= 0) return;
    const uint32_t copies = lane.count[static_cast<size_t>(Kind::kCopy)];
    const bool collectives = lane.count[static_cast<size_t>(Kind::kCollective)] > 0;
    const uint32_t kernels = lane.count[static_cast<size_t>(Kind::kCompute)];
    if (copies > 0) lane.copies += ns;
    if (copies > 1) lane.both += ns;
    if (collectives) lane.collectives += ns;
    if (kernels > 1) lane.kernels += ns;
    lane.busy += ns;
    if (lane.busy_times != nullptr) AddBusy(*lane.busy_times, lane.now, time);
    const size_t part = kernels > 0 ? 0 : collectives ? 1 : 2;
    AddToSteps(lane, static_cast<uint32_t>(index), part, lane.now, time);
    lane.now = lane.idle_since = time;
  }

  static void AddBusy(std::vector<TimeRange>& busy, int64_t begin, int64_t end) {
    if (!busy.empty() && busy.back().end == begin) {
      busy.back().end = end;
    } else {
      busy.push_back({begin, end});
    }
  }

  void AddToSteps(Lane& lane, uint32_t index, size_t part, int64_t begin, int64_t end) {
    const std::vector<TimeRange>& steps = plan_.lanes[index].steps;
    if (steps.empty()) return;
    while (lane.step < steps.size() && steps[lane.step].end <= begin) ++lane.step;
    for (size_t k = lane.step; k < steps.size() && steps[k].begin < end; ++k) {
      const int64_t inside = std::min(end, steps[k].end) - std::max(begin, steps[k].begin);
      if (inside <= 0) continue;
      tally_.steps[{index, static_cast<uint32_t>(k)}].parts[part] += inside;
    }
  }

  void Retire(Lane& lane, size_t which) {
    const Running running = lane.running[which];
    lane.running[which] = lane.running.back();
    lane.running.pop_back();
    const Event& event = running.event;
    --lane.count[static_cast<size_t>(event.kind)];
    if (event.kind == Kind::kCollective) {
      lane.after_collective = true;
      lane.collective_end = event.end();
      lane.busy_then = lane.busy;
    }
    if (!running.is_ours) return;
    uint8_t beside = 0;
    bool is_clean = true;
    // For a copy, only other copies count as work beside it, because only they use the same path.
    const bool is_copy = event.kind == Kind::kCopy;
    if (event.kind == Kind::kCompute || is_copy) {
      const int64_t seen = std::min(event.end(), window_.end) - event.start;
      const int64_t shared[] = {is_copy ? lane.both - running.both : lane.copies - running.copies,
                                is_copy ? 0 : lane.collectives - running.collectives,
                                is_copy ? 0 : lane.kernels - running.kernels};
      for (size_t i = 0; i < std::size(shared); ++i) {
        is_clean &= shared[i] == 0;
        if (2 * shared[i] > seen) beside |= static_cast<uint8_t>(1U << i);
      }
      const bool after_idle = running.after_idle && !is_copy;
      if (after_idle) beside |= 1U << static_cast<size_t>(Beside::kAfterIdle);
      is_clean &= !after_idle;
    }
    Measure(event, beside, is_clean);
    if (event.kind == Kind::kCompute || is_copy) AddExcess(lane, event, beside, is_clean);
  }

  // Adds the excess of an execution over the median of its group to its step. If the group has two
  // clusters, uses the median of the shorter one, because it is not yet known whether the clusters
  // are two kinds of work. If they are, both occur equally often in each step and the excess
  // cancels out in comparisons of steps.
  void AddExcess(Lane& lane, const Event& event, uint8_t beside, bool is_clean) {
    const std::vector<TimeRange>& steps = plan_.lanes[event.lane].steps;
    if (steps.empty() || (beside == 0 && !is_clean) || !plan_.groups[event.group].votes) return;
    const auto holds = [&](int64_t step) {
      const TimeRange& range = steps[static_cast<size_t>(step)];
      return range.begin <= event.start && event.start < range.end;
    };
    if (lane.measured < 0 || !holds(lane.measured)) lane.measured = StepAt(steps, event.start);
    if (lane.measured < 0) return;
    StepTally& step = tally_.steps[{event.lane, static_cast<uint32_t>(lane.measured)}];
    const int64_t median = plan_.groups[event.group].median, excess = event.duration - median;
    AddWrapped(step.excess[beside == 0 ? kBesides : static_cast<size_t>(std::countr_zero(beside))],
               excess);
    const bool is_long = excess > median / 10 && excess > kMinStretch;
    if (beside == 0 && is_long) step.stretched |= uint64_t{1} << event.group % 64;
  }

  void Count(const Event& event) {
    if (event.kind > Kind::kCollective) return;
    const int64_t bin = BinOf(plan_, event.lane, event.start);
    if (bin < 0) {
      ++tally_.outside;
      return;
    }
    ShardTally& shard = tally_.shards[ShardOf(plan_, event.lane, static_cast<uint32_t>(bin))];
    ++shard.kernels;
    AddWrapped(shard.kernel_ns, event.duration);
  }

  bool IsWarmUp(const Event& event) const {
    const PlanLane& lane = plan_.lanes[event.lane];
    if (lane.warm_up == 0 || lane.steps.empty()) return false;
    return event.start < lane.steps[std::min<size_t>(lane.warm_up, lane.steps.size()) - 1].end;
  }

  void Measure(const Event& event, uint8_t beside, bool is_clean) {
    if (IsWarmUp(event)) return;
    const PlanGroup& base = plan_.groups[event.group];
    const uint32_t cluster = base.has_clusters && event.duration > base.threshold ? 1 : 0;
    const uint32_t group = event.group + cluster;
    const int64_t log = LogOf(event.duration);
    const int64_t r = std::clamp(log - plan_.groups[group].log_median, -kMaxLog, kMaxLog);
    const uint32_t slot = slots_.Of(event.lane, event.group);
    if (recent_.size() <= slot) recent_.resize(size_t{slot} + 1);
    Recent& recent = recent_[slot];
    AddLag(event.group, std::clamp(log - base.log_whole, -kMaxLog, kMaxLog), recent);
    if (base.kind == Kind::kCompute || base.kind == Kind::kCopy) {
      rows_.push_back(
          {event.start, event.duration, log, event.group, group, slot, beside, is_clean});
    }
    const int64_t bin = BinOf(plan_, event.lane, event.start);
    if (bin < 0) return;
    Cell& cell = CellOf(event, cluster, group, static_cast<uint32_t>(bin), recent);
    ++cell.n;
    AddWrapped(cell.sum, event.duration);
    cell.sum_r += r;
    cell.least = std::min(cell.least, event.duration);
    cell.most = std::max(cell.most, event.duration);
    for (size_t i = 0; i < kBesides; ++i) cell.beside[i] += beside >> i & 1U;
    if (plan_.listed != UINT32_MAX &&
        ShardOf(plan_, event.lane, static_cast<uint32_t>(bin)) == plan_.listed) {
      tally_.List(plan_, {event.duration - plan_.groups[group].median, event.start, event.duration,
                          group, event.lane, event.stream, beside});
    }
    if (base.kind == Kind::kCompute && plan_.groups[group].votes) {
      SpreadOf(event, cluster, group, static_cast<uint32_t>(bin), recent)
          .Add(static_cast<uint64_t>((r + kMaxLog) / kPairUnit));
    }
  }

  void AddLag(uint32_t group, int64_t r, Recent& recent) {
    const int64_t y = r / kPairUnit;
    if (recent.seen) {
      LagTally& lag = LagOf(group);
      const int64_t x = recent.r;
      ++lag.n;
      lag.x += x;
      lag.y += y;
      lag.xx += x * x;
      lag.yy += y * y;
      lag.xy += x * y;
    }
    recent.seen = true;
    recent.r = y;
  }
  LagTally& LagOf(uint32_t group) {
    if (lags_.empty()) lags_.resize(plan_.groups.size());
    if (lags_[group] == nullptr) lags_[group] = &tally_.lags[group];
    return *lags_[group];
  }

  Cell& CellOf(const Event& event, uint32_t cluster, uint32_t group, uint32_t bin, Recent& recent) {
    if (recent.bin != bin) {
      recent.bin = bin;
      recent.cells[0] = recent.cells[1] = nullptr;
    }
    Cell*& cell = recent.cells[cluster];
    if (cell == nullptr) cell = &tally_.cells.At({group, event.lane, bin});
    return *cell;
  }

  Spread& SpreadOf(const Event& event, uint32_t cluster, uint32_t group, uint32_t bin,
                   Recent& recent) {
    const uint32_t shard = ShardOf(plan_, event.lane, bin);
    if (recent.shard != shard) {
      recent.shard = shard;
      recent.spreads[0] = recent.spreads[1] = nullptr;
    }
    Spread*& spread = recent.spreads[cluster];
    if (spread == nullptr) {
      const uint32_t slot = plan_.groups[group].has_clusters ? group + 1 : 0;
      spread = &tally_.spreads.try_emplace({shard, slot}, Spread(kShardCells)).first->second;
    }
    return *spread;
  }

  const Plan& plan_;
  const Window& window_;
  Tally& tally_;
  BusyTimes* busy_;
  std::vector<Lane> lanes_;
  std::vector<Execution> rows_;
  Slots slots_;
  std::vector<Recent> recent_;  // by slot
  std::vector<LagTally*> lags_;
};

}  // namespace

void SweepWindow(const Plan& plan, const Window& window, std::vector<Event>& events, Tally& tally,
                 BusyTimes* busy) {
  if (events.empty()) return;
  Sweep(plan, window, tally, busy).Run(events);
  const size_t most = 2 * plan.most_collectives * plan.lanes.size();
  if (tally.collectives.size() > most) tally.Settle(plan);
}

}  // namespace gprofx::variability
