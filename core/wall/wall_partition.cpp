// Implements WallPartition. Time is processed in order and in whole windows
// (core/gpu/idle_share.h), so the result does not depend on when Advance is called. Each kind of
// event has a rank, and a sweep resolves overlaps. The remaining gaps are attributed to CPU samples
// and probes. If GPU work was recorded only part of the time, the margins of the parts follow from
// their variation between windows.
#include "core/wall/wall_partition.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/cost/share_margins.h"
#include "core/gpu/idle_share.h"
#include "core/gpu/level_windows.h"
#include "core/wall/interval_sweep.h"

namespace gprofx {
namespace {

constexpr uint32_t kBusyClasses = 3;
// Rank of the first waiting call; the others follow in the order of CallOrder.
constexpr uint32_t kFirstWait = kBusyClasses;
constexpr uint32_t kQueueFull = std::numeric_limits<uint32_t>::max();

constexpr const char* kBusyNames[kBusyClasses] = {"gpu.compute", "gpu.communication", "gpu.copy"};
constexpr const char* kShareNames[kHostClasses] = {"idle.python",    "idle.data_loading",
                                                   "idle.cuda_call", "idle.native",
                                                   "idle.blocked",   "idle.profiling"};

// Maximum number of windows. No real recording has more. Times that would need more come from
// damaged files; they are processed as one window.
constexpr int64_t kMaxWindows = 1'000'000;

// Returns the borders of the windows (core/gpu/idle_share.h) within [begin, end), and `begin` and
// `end` themselves.
std::vector<HostNs> WindowBorders(HostNs begin, HostNs end) {
  std::vector<HostNs> cuts = {begin};
  if ((end - begin) / kShareWindow < kMaxWindows) {
    for (HostNs at = WindowBegin(begin) + kShareWindow; at < end; at += kShareWindow) {
      cuts.push_back(at);
    }
  }
  cuts.push_back(end);
  return cuts;
}

// The processed time, by what it was spent on. It is the sum of all members.
struct Totals {
  std::array<int64_t, kBusyClasses> busy{};
  std::map<std::string, int64_t> waits;
  int64_t queue_full = 0;
  HostShares shares{};
  int64_t unexplained = 0;
};

void AddTo(Totals& sum, const Totals& window) {
  for (size_t i = 0; i < kBusyClasses; ++i) sum.busy[i] += window.busy[i];
  for (const auto& [call, ns] : window.waits) sum.waits[call] += ns;
  sum.queue_full += window.queue_full;
  for (size_t i = 0; i < kHostClasses; ++i) sum.shares[i] += window.shares[i];
  sum.unexplained += window.unexplained;
}

std::vector<WallPart> NamedParts(const Totals& totals) {
  std::vector<WallPart> parts;
  const auto add = [&](std::string name, int64_t ns) {
    if (ns > 0) parts.push_back({std::move(name), ns});
  };
  for (size_t i = 0; i < kBusyClasses; ++i) add(kBusyNames[i], totals.busy[i]);
  for (const auto& [call, ns] : totals.waits) add(WaitPart(call), ns);
  add(kQueueFullPart, totals.queue_full);
  for (size_t i = 0; i < kHostClasses; ++i) add(kShareNames[i], totals.shares[i]);
  add(kUnexplainedPart, totals.unexplained);
  return parts;
}

// Scales the parts down from their sum `sum` to the sum `limit`, in proportion. Rounds the running
// total instead of single parts, so they add up to `limit` exactly.
void ScaleParts(std::vector<WallPart>& parts, int64_t sum, int64_t limit) {
  if (sum <= limit) return;
  int64_t before = 0, scaled_before = 0;
  for (WallPart& part : parts) {
    before += part.ns;
    const auto scaled =
        static_cast<int64_t>(static_cast<__int128>(before) * limit / static_cast<__int128>(sum));
    part.margin_ns = static_cast<int64_t>(static_cast<__int128>(part.margin_ns) * limit / sum);
    part.ns = scaled - scaled_before;
    scaled_before = scaled;
  }
  std::erase_if(parts, [](const WallPart& part) { return part.ns == 0; });
}

}  // namespace

std::string WaitPart(const std::string& call) { return "idle.sync." + call; }
const char* SharePart(HostClass what) { return kShareNames[static_cast<size_t>(what)]; }

bool CallOrder::operator()(const std::string& a, const std::string& b) const {
  return std::make_pair(a != kNoRecords, std::string_view(a)) <
         std::make_pair(b != kNoRecords, std::string_view(b));
}

struct WallPartition::Impl {
  // Intervals that are not yet processed. The rank is a busy class, kFirstWait plus an index in
  // `calls`, or kQueueFull.
  std::vector<RankedInterval> intervals;
  std::vector<HostSample> samples;
  // Call name -> index in order of first appearance.
  std::map<std::string, uint32_t, CallOrder> calls;
  std::optional<HostNs> origin, done;  // [origin, done) is processed
  Totals totals;
  int64_t hidden_communication = 0;  // overlapped by compute work; not in the partition
  ShareMargins margins{kUnseenPart};
  int64_t late_ns = 0;

  void Add(uint32_t what, HostNs begin, HostNs end);
  std::vector<RankedInterval> TakeIntervals(HostNs end);
  std::vector<HostSample> TakeSamples(HostNs begin, HostNs end);
  void WorkOff(HostNs begin, HostNs end);
  Totals OfWindow(const Sweep& sweep, std::span<const HostSample> sampled) const;
  HostNs FirstTime(HostNs otherwise) const;
};

void WallPartition::Impl::Add(uint32_t what, HostNs begin, HostNs end) {
  begin = Bounded(begin);
  end = Bounded(end);
  if (begin >= end) return;
  if (done && begin < *done) {
    late_ns = AddSaturated(late_ns, std::min(end, *done) - begin);
    begin = *done;
    if (begin >= end) return;
  }
  intervals.push_back({begin, end, what});
}

// Returns the intervals that begin before `end`, uncut. Of all intervals, only the time after `end`
// stays stored.
std::vector<RankedInterval> WallPartition::Impl::TakeIntervals(HostNs end) {
  // Order the waiting calls by name, because their indexes are in order of appearance.
  std::vector<uint32_t> order(calls.size());
  uint32_t position = 0;
  for (const auto& [name, index] : calls) order[index] = position++;
  std::vector<RankedInterval> taken, rest;
  for (RankedInterval interval : intervals) {
    if (interval.end > end)
      rest.push_back({std::max(interval.begin, end), interval.end, interval.rank});
    if (interval.begin >= end) continue;
    const bool is_wait = interval.rank >= kFirstWait && interval.rank != kQueueFull;
    if (is_wait) interval.rank = kFirstWait + order[interval.rank - kFirstWait];
    taken.push_back(interval);
  }
  intervals = std::move(rest);
  return taken;
}

// Removes the samples before `end`. Returns those in [begin, end), sorted by time.
std::vector<HostSample> WallPartition::Impl::TakeSamples(HostNs begin, HostNs end) {
  const auto rest = std::partition(samples.begin(), samples.end(),
                                   [&](const HostSample& sample) { return sample.time < end; });
  std::vector<HostSample> taken(samples.begin(), rest);
  samples.erase(samples.begin(), rest);
  std::erase_if(taken, [&](const HostSample& sample) { return sample.time < begin; });
  std::sort(taken.begin(), taken.end(),
            [](const HostSample& a, const HostSample& b) { return a.time < b.time; });
  return taken;
}

// Returns the length of time in which communication ran, whether or not other work ran at the same
// time.
int64_t UnionOfCommunication(std::vector<RankedInterval> intervals, HostNs begin, HostNs end) {
  constexpr auto kRank = static_cast<uint32_t>(BusyClass::kCommunication);
  std::erase_if(intervals, [](const RankedInterval& interval) { return interval.rank != kRank; });
  if (intervals.empty()) return 0;
  return SweepIntervals(intervals, begin, end).ns[kRank];
}

Totals WallPartition::Impl::OfWindow(const Sweep& sweep,
                                     std::span<const HostSample> sampled) const {
  Totals window;
  const auto of_rank = [&](uint32_t rank) {
    const auto found = sweep.ns.find(rank);
    return found == sweep.ns.end() ? 0 : found->second;
  };
  for (uint32_t i = 0; i < kBusyClasses; ++i) window.busy[i] = of_rank(i);
  uint32_t rank = kFirstWait;
  for (const auto& [name, index] : calls) {
    if (const int64_t ns = of_rank(rank++); ns != 0) window.waits[name] = ns;
  }
  window.queue_full = of_rank(kQueueFull);
  for (const Gap& gap : sweep.gaps) window.unexplained += gap.end - gap.begin;
  window.shares = ShareIdleTime(sweep.gaps, sampled);
  for (const int64_t share : window.shares) window.unexplained -= share;
  return window;
}

void WallPartition::Impl::WorkOff(HostNs begin, HostNs end) {
  const std::vector<RankedInterval> taken = TakeIntervals(end);
  const std::vector<HostSample> sampled = TakeSamples(begin, end);
  const std::vector<HostNs> cuts = WindowBorders(begin, end);
  const std::vector<Sweep> sweeps = SweepRanges(taken, cuts);
  int64_t communication = UnionOfCommunication(taken, begin, end);
  auto sample = sampled.begin();
  for (size_t i = 0; i < sweeps.size(); ++i) {
    const auto next = std::find_if(sample, sampled.end(),
                                   [&](const HostSample& s) { return s.time >= cuts[i + 1]; });
    const Totals window = OfWindow(sweeps[i], {sample, next});
    sample = next;
    margins.AddWindow(NamedParts(window));
    communication -= window.busy[static_cast<size_t>(BusyClass::kCommunication)];
    AddTo(totals, window);
  }
  // In the sweep, only compute work takes precedence over communication. What the sweep did not
  // count as communication was therefore overlapped by compute work.
  hidden_communication += communication;
}

HostNs WallPartition::Impl::FirstTime(HostNs otherwise) const {
  HostNs first = otherwise;
  for (const RankedInterval& interval : intervals) first = std::min(first, interval.begin);
  for (const HostSample& sample : samples) first = std::min(first, sample.time);
  return first;
}

WallPartition::WallPartition() : impl_(std::make_unique<Impl>()) {}
WallPartition::~WallPartition() = default;

void WallPartition::AddBusy(BusyClass what, HostNs begin, HostNs end) {
  impl_->Add(static_cast<uint32_t>(what), begin, end);
}

void WallPartition::AddWait(const std::string& call, HostNs begin, HostNs end) {
  const auto next = static_cast<uint32_t>(impl_->calls.size());
  const uint32_t index = impl_->calls.try_emplace(call, next).first->second;
  impl_->Add(kFirstWait + index, begin, end);
}

void WallPartition::AddQueueFull(HostNs begin, HostNs end) { impl_->Add(kQueueFull, begin, end); }

void WallPartition::AddSample(HostClass what, HostNs time, int64_t weight_ns) {
  if (weight_ns <= 0) return;
  time = Bounded(time);
  if (impl_->done && time < *impl_->done) {
    impl_->late_ns = AddSaturated(impl_->late_ns, weight_ns);
    return;
  }
  impl_->samples.push_back({time, weight_ns, static_cast<uint8_t>(what), false});
}

void WallPartition::AddLook(HostClass what, HostNs time) {
  time = Bounded(time);
  if (impl_->done && time < *impl_->done) return;
  impl_->samples.push_back({time, 0, static_cast<uint8_t>(what), true});
}

void WallPartition::Advance(HostNs time) {
  const HostNs end = WindowBegin(Bounded(time));
  if (impl_->done && end <= *impl_->done) return;
  if (!impl_->done) {
    const HostNs first = impl_->FirstTime(end);
    if (first >= end) return;  // there is nothing to process, so nothing can be late
    impl_->origin = impl_->done = first;
  }
  impl_->WorkOff(*impl_->done, end);
  impl_->done = end;
}

std::vector<WallPart> WallPartition::Finish(HostNs begin, HostNs end) {
  begin = Bounded(begin);
  end = Bounded(end);
  if (begin >= end) return {};
  const HostNs origin = impl_->origin.value_or(begin);
  const HostNs done = impl_->done.value_or(begin);
  // Time before the first event is unexplained. Time from `done` on has not been processed yet.
  int64_t sum = done - origin;
  if (impl_->origin && begin < origin) {
    impl_->totals.unexplained += std::min(origin, end) - begin;
    sum += std::min(origin, end) - begin;
  }
  const HostNs from = std::max(begin, done);
  if (from < end) {
    impl_->WorkOff(from, end);
    sum += end - from;
  }
  std::vector<WallPart> parts = NamedParts(impl_->totals);
  impl_->margins.Give(parts);
  ScaleParts(parts, sum, end - begin);
  return parts;
}

size_t WallPartition::waiting() const { return impl_->intervals.size() + impl_->samples.size(); }

int64_t WallPartition::late_ns() const { return impl_->late_ns; }

int64_t WallPartition::hidden_communication_ns() const { return impl_->hidden_communication; }

}  // namespace gprofx
