#include "core/variability/collectives.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "core/variability/stages/sort_runs.h"
#include "core/variability/statistics/tally.h"

namespace gprofx::variability {
namespace {

using Operation = std::vector<const CollectiveTally*>;

// Returns twice the amount by which `value` exceeds the median of `others`; negative if it is
// below. Absurd times wrap around.
int64_t TwiceAbove(int64_t value, std::vector<int64_t>& others) {
  std::sort(others.begin(), others.end());
  const auto bits = [](int64_t ns) { return static_cast<uint64_t>(ns); };
  const size_t n = others.size();
  return static_cast<int64_t>(2 * bits(value) - bits(others[(n - 1) / 2]) - bits(others[n / 2]));
}

class Matcher {
 public:
  explicit Matcher(const Plan& plan) : plan_(plan) {}

  // Matches the collectives of one group in one slice; `all` must be sorted by start.
  void Match(uint32_t group, const Operation& all) {
    Operation open;
    int64_t least_end = INT64_MAX;
    const auto close = [&] {
      if (open.size() > 1) Take(group, open);
      open.clear();
      least_end = INT64_MAX;
    };
    for (const CollectiveTally* one : all) {
      const bool is_known = std::any_of(
          open.begin(), open.end(), [&](const auto* other) { return other->lane == one->lane; });
      if (is_known || one->start >= least_end) close();
      open.push_back(one);
      least_end = std::min(least_end, one->end);
    }
    close();
  }

  Matches matches;

 private:
  int64_t StepOf(uint32_t lane, int64_t time) const {
    const PlanLane& row = plan_.lanes[lane];
    const int64_t step = StepAt(row.steps, time) - static_cast<int64_t>(row.warm_up);
    return std::max<int64_t>(step, -1);
  }

  void Take(uint32_t group, const Operation& all) {
    const CollectiveTally& last = *all.back();
    Matches::Group& sums = matches.groups[group];
    ++sums.n;
    for (const CollectiveTally* one : all) {
      const int64_t waited = last.start - one->start;
      Matches::Lane& lane = matches.lanes[one->lane];
      ++lane.n;
      lane.expected += kCertain / static_cast<int64_t>(all.size());
      AddWrapped(lane.waited, waited);
      AddWrapped(sums.waiting, waited);
      AddWrapped(sums.transfer, one->end - last.start);
      const int64_t bin = BinOf(plan_, one->lane, one->start);
      if (bin < 0) continue;
      AddWrapped(matches.waiting[ShardOf(plan_, one->lane, static_cast<uint32_t>(bin))], waited);
    }
    const int64_t behind = last.start - all[all.size() - 2]->start;
    if (behind > 0) TakeLate(all, behind);
  }

  void TakeLate(const Operation& all, int64_t behind) {
    const CollectiveTally& last = *all.back();
    const int64_t late_step = StepOf(last.lane, last.start);
    busy_.clear();
    idle_.clear();
    for (const CollectiveTally* one : all) {
      if (const int64_t step = StepOf(one->lane, one->start); step >= 0) {
        AddWrapped(matches.waits[{one->lane, step, last.lane, late_step}], behind);
      }
      if (one == &last || one->busy_before < 0) continue;
      busy_.push_back(one->busy_before);
      idle_.push_back(one->idle_before);
    }
    Matches::Lane& late = matches.lanes[last.lane];
    ++late.last;
    AddWrapped(late.caused, behind);
    if (last.busy_before < 0 || busy_.empty()) return;
    ++late.known;
    AddWrapped(late.busy, TwiceAbove(last.busy_before, busy_));
    AddWrapped(late.idle, TwiceAbove(last.idle_before, idle_));
  }

  const Plan& plan_;
  std::vector<int64_t> busy_, idle_;  // working memory
};

}  // namespace

void WriteCollectives(const std::vector<CollectiveTally>& all, ByteWriter& out) {
  out.Put(all.size());
  for (const CollectiveTally& one : all) {
    out.Put(one.lane);
    out.Put(one.group);
    out.PutSigned(one.start);
    for (const int64_t n : {one.end, one.busy_before, one.idle_before}) out.PutSigned(n);
  }
}

bool ReadCollectives(ByteReader& in, const Plan& plan, std::vector<CollectiveTally>& all) {
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    CollectiveTally one;
    one.lane = static_cast<uint32_t>(in.Uleb());
    one.group = static_cast<uint32_t>(in.Uleb());
    for (int64_t* time : {&one.start, &one.end, &one.busy_before, &one.idle_before}) {
      *time = Bounded(in.Zigzag());
    }
    if (one.lane >= plan.lanes.size() || one.group >= plan.groups.size()) return false;
    all.push_back(one);
  }
  return in.ok();
}

uint32_t SliceOf(const Plan& plan, int64_t start) {
  return BinAt(start, plan.begin, plan.end, plan.slices);
}

void KeepFirst(const Plan& plan, std::vector<CollectiveTally>& all) {
  SortRuns(all, std::less<>());
  size_t kept = 0, count = 0;
  std::pair<uint32_t, uint32_t> before{UINT32_MAX, UINT32_MAX};  // lane, slice
  for (const CollectiveTally& one : all) {
    const std::pair here{one.lane, SliceOf(plan, one.start)};
    count = here == before ? count + 1 : 0;
    before = here;
    if (count < plan.most_collectives) all[kept++] = one;
  }
  all.resize(kept);
}

Matches MatchCollectives(const Plan& plan, std::vector<CollectiveTally> all) {
  KeepFirst(plan, all);
  std::map<std::pair<uint32_t, uint32_t>, Operation> parts;  // by group and slice
  for (const CollectiveTally& one : all) {
    parts[{one.group, SliceOf(plan, one.start)}].push_back(&one);
  }
  Matcher matcher(plan);
  for (auto& [place, some] : parts) {
    SortRuns(some, [](const auto* a, const auto* b) {
      return std::tie(a->start, a->lane, a->end) < std::tie(b->start, b->lane, b->end);
    });
    matcher.Match(place.first, some);
  }
  return std::move(matcher.matches);
}

bool Matches::HasLate() const {
  return std::any_of(lanes.begin(), lanes.end(),
                     [](const auto& one) { return one.second.last > 0; });
}

bool Matches::Fits(const Plan& plan) const {
  const auto is_step = [&](uint32_t lane, int64_t step) {
    if (lane >= plan.lanes.size()) return false;
    const PlanLane& row = plan.lanes[lane];
    return step < static_cast<int64_t>(row.steps.size()) - static_cast<int64_t>(row.warm_up);
  };
  return std::all_of(groups.begin(), groups.end(),
                     [&](const auto& one) { return one.first < plan.groups.size(); }) &&
         std::all_of(
             lanes.begin(), lanes.end(),
             [&](const auto& one) { return one.first < plan.lanes.size() && one.second.n > 0; }) &&
         std::all_of(waiting.begin(), waiting.end(),
                     [&](const auto& one) { return one.first < plan.shards; }) &&
         std::all_of(waits.begin(), waits.end(), [&](const auto& one) {
           const Wait& wait = one.first;
           if (wait.step < 0 || wait.late_step < -1) return false;
           return is_step(wait.lane, wait.step) && is_step(wait.late, wait.late_step);
         });
}

void Matches::Merge(const Matches& other) {
  for (const auto& [group, more] : other.groups) {
    Group& mine = groups[group];
    mine.n += more.n;
    AddWrapped(mine.waiting, more.waiting);
    AddWrapped(mine.transfer, more.transfer);
  }
  for (const auto& [lane, more] : other.lanes) {
    Lane& mine = lanes[lane];
    mine.n += more.n;
    mine.last += more.last;
    mine.known += more.known;
    AddWrapped(mine.expected, more.expected);
    AddWrapped(mine.waited, more.waited);
    AddWrapped(mine.caused, more.caused);
    AddWrapped(mine.busy, more.busy);
    AddWrapped(mine.idle, more.idle);
  }
  for (const auto& [shard, ns] : other.waiting) AddWrapped(waiting[shard], ns);
  for (const auto& [wait, ns] : other.waits) AddWrapped(waits[wait], ns);
}

void Matches::Write(ByteWriter& out) const {
  out.Put(groups.size());
  for (const auto& [group, sums] : groups) {
    out.Put(group);
    out.Put(sums.n);
    for (const int64_t ns : {sums.waiting, sums.transfer}) out.PutSigned(ns);
  }
  out.Put(lanes.size());
  for (const auto& [id, lane] : lanes) {
    out.Put(id);
    for (const uint64_t n : {lane.n, lane.last, lane.known}) out.Put(n);
    for (const int64_t n : {lane.expected, lane.waited, lane.caused, lane.busy, lane.idle}) {
      out.PutSigned(n);
    }
  }
  out.Put(waiting.size());
  for (const auto& [shard, ns] : waiting) {
    out.Put(shard);
    out.PutSigned(ns);
  }
  out.Put(waits.size());
  for (const auto& [wait, ns] : waits) {
    for (const uint32_t lane : {wait.lane, wait.late}) out.Put(lane);
    for (const int64_t n : {wait.step, wait.late_step, ns}) out.PutSigned(n);
  }
}

bool Matches::Read(ByteReader& in, Matches& matches) {
  const auto id = [&] { return static_cast<uint32_t>(in.Uleb()); };
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    Group& sums = matches.groups[id()];
    sums.n = in.Uleb();
    for (int64_t* ns : {&sums.waiting, &sums.transfer}) *ns = in.Zigzag();
  }
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    Lane& lane = matches.lanes[id()];
    for (uint64_t* count : {&lane.n, &lane.last, &lane.known}) *count = in.Uleb();
    for (int64_t* sum : {&lane.expected, &lane.waited, &lane.caused, &lane.busy, &lane.idle}) {
      *sum = in.Zigzag();
    }
  }
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    const uint32_t shard = id();
    matches.waiting[shard] = in.Zigzag();
  }
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    Wait wait;
    for (uint32_t* lane : {&wait.lane, &wait.late}) *lane = id();
    for (int64_t* step : {&wait.step, &wait.late_step}) *step = in.Zigzag();
    matches.waits[wait] = in.Zigzag();
  }
  return in.ok();
}

}  // namespace gprofx::variability
