#include "core/variability/idle.h"

#include <algorithm>
#include <limits>
#include <map>

#include "core/wall/interval_sweep.h"

namespace gprofx::variability {
namespace {

constexpr uint32_t kBusyRank = 0, kFirstCall = 1;
constexpr uint32_t kFullRank = std::numeric_limits<uint32_t>::max();

// The steps within a window, and the times between them, as adjacent ranges. Range i is [cuts[i],
// cuts[i + 1]).
struct Ranges {
  std::vector<HostNs> cuts;
  std::vector<int64_t> steps;  // index of the step of each range; -1 = between steps

  Ranges(const std::vector<TimeRange>& all, const Window& window) {
    auto step = std::upper_bound(all.begin(), all.end(), window.begin,
                                 [](int64_t t, const TimeRange& one) { return t < one.end; });
    for (; step != all.end() && step->begin < window.end; ++step) {
      int64_t from = std::max(step->begin, window.begin);
      if (!cuts.empty()) from = std::max(from, cuts.back());
      const int64_t to = std::min(step->end, window.end);
      if (from >= to) continue;
      if (cuts.empty()) cuts.push_back(from);
      if (cuts.back() < from) Add(from, -1);
      Add(to, step - all.begin());
    }
  }

 private:
  void Add(HostNs end, int64_t step) {
    cuts.push_back(end);
    steps.push_back(step);
  }
};

// Maps a time to the total idle time before it.
class IdleClock {
 public:
  explicit IdleClock(const std::vector<Sweep>& sweeps) {
    int64_t sum = 0;
    for (const Sweep& sweep : sweeps) {
      for (const Gap& gap : sweep.gaps) {
        gaps_.push_back({gap, sum});
        sum += gap.end - gap.begin;
      }
    }
  }
  int64_t At(int64_t time) const {
    const auto after =
        std::upper_bound(gaps_.begin(), gaps_.end(), time,
                         [](int64_t t, const Summed& one) { return t < one.gap.begin; });
    if (after == gaps_.begin()) return 0;
    const Summed& last = *std::prev(after);
    return last.before + std::min(time, last.gap.end) - last.gap.begin;
  }

 private:
  struct Summed {
    Gap gap;
    int64_t before = 0;
  };
  std::vector<Summed> gaps_;
};

class Splitter {
 public:
  Splitter(const PlanLane& plan, uint32_t lane, const Window& window, Tally& tally)
      : lane_(lane), offset_(plan.offset), ranges_(plan.steps, window), tally_(tally) {}

  void Run(std::span<const TimeRange> busy, const HostActivity& host, const ProcessHost& process) {
    if (ranges_.steps.empty()) return;
    std::map<std::string, uint32_t, CallOrder> order;
    for (const std::string& call : host.calls) order[call] = 0;
    std::vector<std::string> names;
    for (auto& [call, rank] : order) {
      rank = kFirstCall + static_cast<uint32_t>(names.size());
      names.push_back(WaitPart(call));
    }
    std::vector<RankedInterval> intervals;
    for (const TimeRange& one : busy) intervals.push_back({one.begin, one.end, kBusyRank});
    for (const HostWait& wait : process.waits) {
      intervals.push_back(
          {wait.begin + offset_, wait.end + offset_, order.at(host.calls[wait.call])});
    }
    for (const TimeRange& full : process.queue_full) {
      intervals.push_back({full.begin + offset_, full.end + offset_, kFullRank});
    }
    const std::vector<Sweep> sweeps = SweepRanges(intervals, ranges_.cuts);
    for (size_t i = 0; i < sweeps.size(); ++i) {
      if (ranges_.steps[i] < 0) continue;
      const std::pair key(lane_, static_cast<uint32_t>(ranges_.steps[i]));
      for (const auto& [rank, ns] : sweeps[i].ns) {
        if (rank == kBusyRank) continue;
        const std::string& part = rank == kFullRank ? kFull : names[rank - kFirstCall];
        AddWrapped(tally_.idle[part][key], ns);
      }
    }
    const IdleClock idle(sweeps);
    for (const HostSpan& sample : process.samples) AddSample(sample, idle);
  }

 private:
  void AddSample(const HostSpan& sample, const IdleClock& idle) {
    int64_t from = std::max(sample.begin + offset_, ranges_.cuts.front());
    const int64_t to = std::min(sample.end + offset_, ranges_.cuts.back());
    if (from >= to) return;
    const std::vector<HostNs>& cuts = ranges_.cuts;
    auto range =
        static_cast<size_t>(std::upper_bound(cuts.begin(), cuts.end(), from) - cuts.begin() - 1);
    for (; from < to; ++range) {
      const int64_t end = std::min(to, ranges_.cuts[range + 1]);
      const int64_t ns = ranges_.steps[range] < 0 ? 0 : idle.At(end) - idle.At(from);
      from = end;
      if (ns == 0) continue;
      StepTally& step = tally_.steps[{lane_, static_cast<uint32_t>(ranges_.steps[range])}];
      AddWrapped(step.sampled[static_cast<size_t>(sample.what)], ns);
    }
  }

  const std::string kFull = kQueueFullPart;
  const uint32_t lane_;
  const int64_t offset_;
  const Ranges ranges_;
  Tally& tally_;
};

}  // namespace

void SplitIdle(const Plan& plan, uint32_t lane, const Window& window,
               std::span<const TimeRange> busy, const HostActivity& host, Tally& tally) {
  for (const ProcessHost& process : host.processes) {
    if (process.process != plan.lanes[lane].id.process) continue;
    Splitter(plan.lanes[lane], lane, window, tally).Run(busy, host, process);
  }
}

}  // namespace gprofx::variability
