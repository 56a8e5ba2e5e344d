#include "core/variability/statistics/tally.h"

#include <algorithm>

namespace gprofx::variability {

int64_t BinOf(const Plan& plan, uint32_t lane, int64_t start) {
  if (plan.axis != Axis::kStep) return BinAt(start, plan.begin, plan.end, plan.bins);
  const std::vector<TimeRange>& steps = plan.lanes[lane].steps;
  const int64_t step = StepAt(steps, start);
  if (step < 0 || step >= plan.shards) return -1;
  const TimeRange& range = steps[static_cast<size_t>(step)];
  return step * kBlocksPerStep + BinAt(start, range.begin, range.end, kBlocksPerStep);
}

uint32_t ShardOf(const Plan& plan, uint32_t lane, uint32_t bin) {
  switch (plan.axis) {
    case Axis::kTime:
      return bin / kBlocksPerShard;
    case Axis::kStep:
      return bin / kBlocksPerStep;
    case Axis::kRank:
      return plan.lanes[lane].rank;
    case Axis::kDevice:
      return lane;
  }
  return 0;
}

void Tally::Merge(Tally&& other, const Plan& plan) {
  for (auto& [file, error] : other.errors) {
    std::string& mine = errors[file];
    if (mine.empty() || error < mine) mine = error;
  }
  shards.resize(std::max(shards.size(), other.shards.size()));
  for (size_t i = 0; i < other.shards.size(); ++i) {
    shards[i].kernels += other.shards[i].kernels;
    AddWrapped(shards[i].kernel_ns, other.shards[i].kernel_ns);
  }
  outside += other.outside;
  cells.Merge(std::move(other.cells));
  for (const auto& [key, effect] : other.effects) {
    EffectTally& mine = effects[key];
    mine.treated += effect.treated;
    mine.controls += effect.controls;
    mine.wins += effect.wins;
    mine.losses += effect.losses;
    AddWrapped(mine.difference, effect.difference);
    for (const auto& [value, count] : effect.pairs) mine.pairs[value] += count;
  }
  for (const auto& [group, lag] : other.lags) {
    LagTally& mine = lags[group];
    mine.n += lag.n;
    mine.x += lag.x;
    mine.y += lag.y;
    mine.xx += lag.xx;
    mine.yy += lag.yy;
    mine.xy += lag.xy;
  }
  for (const auto& [key, step] : other.steps) {
    StepTally& mine = steps[key];
    for (size_t i = 0; i < kParts; ++i) AddWrapped(mine.parts[i], step.parts[i]);
    for (size_t i = 0; i < kExcesses; ++i) AddWrapped(mine.excess[i], step.excess[i]);
    mine.stretched |= step.stretched;
    for (size_t i = 0; i < kHostClasses; ++i) AddWrapped(mine.sampled[i], step.sampled[i]);
  }
  for (const auto& [part, of_steps] : other.idle) {
    auto& mine = idle[part];
    for (const auto& [key, ns] : of_steps) AddWrapped(mine[key], ns);
  }
  collectives.insert(collectives.end(), other.collectives.begin(), other.collectives.end());
  if (collectives.size() > 2 * plan.most_collectives * plan.lanes.size()) {
    KeepFirst(plan, collectives);
  }
  matches.Merge(other.matches);
  for (const ListedEvent& event : other.listed) List(plan, event);
  for (auto& [key, spread] : other.spreads) {
    const auto [mine, is_new] = spreads.try_emplace(key, std::move(spread));
    if (!is_new) mine->second.Merge(std::move(spread));
  }
}

namespace {

// Keeps the `most` events with the largest excess. The result does not depend on the order of
// merges.
void KeepListed(std::vector<ListedEvent>& listed, uint64_t most) {
  std::sort(listed.begin(), listed.end(), [](const ListedEvent& a, const ListedEvent& b) {
    return a.excess != b.excess ? a.excess > b.excess : a < b;
  });
  if (listed.size() > most) listed.resize(most);
}

}  // namespace

void Tally::List(const Plan& plan, const ListedEvent& event) {
  listed.push_back(event);
  if (listed.size() >= 2 * plan.most_listed + 1024) KeepListed(listed, plan.most_listed);
}

void Tally::Settle(const Plan& plan) {
  cells.Settle();
  KeepListed(listed, plan.most_listed);
  KeepFirst(plan, collectives);
  for (auto& [key, spread] : spreads) spread.Settle();
}

bool Tally::Fits(const Plan& plan) const {
  const size_t groups = plan.groups.size(), lanes = plan.lanes.size();
  const auto cell_fits = [&](const CellRow& row) {
    return row.key.group < groups && row.key.lane < lanes && row.key.bin < plan.bins &&
           row.cell.n > 0;
  };
  const auto step_fits = [&](const std::pair<uint32_t, uint32_t>& step) {
    return step.first < lanes && step.second < plan.lanes[step.first].steps.size();
  };
  for (const auto& [part, of_steps] : idle) {
    for (const auto& [step, ns] : of_steps) {
      if (!step_fits(step)) return false;
    }
  }
  return shards.size() <= plan.shards && std::ranges::all_of(cells.rows(), cell_fits) &&
         std::ranges::all_of(effects,
                             [&](const auto& one) {
                               return (one.first.first & ~kWhole) < groups &&
                                      one.first.second < kBesides;
                             }) &&
         std::ranges::all_of(lags, [&](const auto& one) { return one.first < groups; }) &&
         std::ranges::all_of(steps, [&](const auto& one) { return step_fits(one.first); }) &&
         std::ranges::all_of(
             listed, [&](const auto& one) { return one.group < groups && one.lane < lanes; }) &&
         std::ranges::all_of(spreads,
                             [&](const auto& one) {
                               return one.first.first < plan.shards && one.first.second <= groups;
                             }) &&
         matches.Fits(plan);
}

std::string Tally::Write() const {
  ByteWriter out;
  out.Put(errors.size());
  for (const auto& [file, error] : errors) {
    out.Put(file);
    out.PutText(error);
  }
  out.Put(shards.size());
  for (const ShardTally& shard : shards) {
    out.Put(shard.kernels);
    out.PutSigned(shard.kernel_ns);
  }
  out.Put(outside);
  cells.Write(out);
  out.Put(effects.size());
  for (const auto& [key, effect] : effects) {
    out.Put(key.first);
    out.Put(key.second);
    for (const uint64_t n : {effect.treated, effect.controls, effect.wins, effect.losses})
      out.Put(n);
    out.PutSigned(effect.difference);
    out.Put(effect.pairs.size());
    for (const auto& [value, count] : effect.pairs) {
      out.PutSigned(value);
      out.Put(count);
    }
  }
  out.Put(lags.size());
  for (const auto& [group, lag] : lags) {
    out.Put(group);
    out.Put(lag.n);
    for (const int64_t sum : {lag.x, lag.y, lag.xx, lag.yy, lag.xy}) out.PutSigned(sum);
  }
  out.Put(steps.size());
  for (const auto& [key, step] : steps) {
    out.Put(key.first);
    out.Put(key.second);
    for (const int64_t part : step.parts) out.PutSigned(part);
    for (const int64_t excess : step.excess) out.PutSigned(excess);
    out.Put(step.stretched);
    for (const int64_t ns : step.sampled) out.PutSigned(ns);
  }
  out.Put(idle.size());
  for (const auto& [part, of_steps] : idle) {
    out.PutText(part);
    out.Put(of_steps.size());
    for (const auto& [key, ns] : of_steps) {
      out.Put(key.first);
      out.Put(key.second);
      out.PutSigned(ns);
    }
  }
  matches.Write(out);
  out.Put(listed.size());
  for (const ListedEvent& one : listed) {
    for (const int64_t n : {one.excess, one.start, one.duration}) out.PutSigned(n);
    for (const uint32_t n : {one.group, one.lane, one.stream, uint32_t{one.beside}}) out.Put(n);
  }
  out.Put(spreads.size());
  for (const auto& [key, spread] : spreads) {
    out.Put(key.first);
    out.Put(key.second);
    spread.Write(out);
  }
  return out.Take();
}

bool Tally::Read(std::string_view bytes, Tally& tally) {
  ByteReader in(bytes);
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    const auto file = static_cast<uint32_t>(in.Uleb());
    tally.errors[file] = in.CountedText();
  }
  tally.shards.resize(in.Count());
  for (ShardTally& shard : tally.shards) {
    shard.kernels = in.Uleb();
    shard.kernel_ns = in.Zigzag();
  }
  tally.outside = in.Uleb();
  if (!Cells::Read(in, tally.cells)) return false;
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    const auto group = static_cast<uint32_t>(in.Uleb());
    const auto beside = static_cast<uint8_t>(in.Uleb());
    EffectTally& effect = tally.effects[{group, beside}];
    for (uint64_t* count : {&effect.treated, &effect.controls, &effect.wins, &effect.losses}) {
      *count = in.Uleb();
    }
    effect.difference = in.Zigzag();
    for (uint64_t pairs = in.Count(); pairs > 0 && in.ok(); --pairs) {
      const auto value = static_cast<int32_t>(in.Zigzag());
      effect.pairs[value] = in.Uleb();
    }
  }
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    LagTally& lag = tally.lags[static_cast<uint32_t>(in.Uleb())];
    lag.n = in.Uleb();
    for (int64_t* sum : {&lag.x, &lag.y, &lag.xx, &lag.yy, &lag.xy}) *sum = in.Zigzag();
  }
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    const auto lane = static_cast<uint32_t>(in.Uleb());
    const auto index = static_cast<uint32_t>(in.Uleb());
    StepTally& step = tally.steps[{lane, index}];
    for (int64_t& part : step.parts) part = in.Zigzag();
    for (int64_t& excess : step.excess) excess = in.Zigzag();
    step.stretched = in.Uleb();
    for (int64_t& ns : step.sampled) ns = in.Zigzag();
  }
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    auto& of_steps = tally.idle[std::string(in.CountedText())];
    for (uint64_t rows = in.Count(); rows > 0 && in.ok(); --rows) {
      const auto lane = static_cast<uint32_t>(in.Uleb());
      const auto index = static_cast<uint32_t>(in.Uleb());
      of_steps[{lane, index}] = in.Zigzag();
    }
  }
  if (!Matches::Read(in, tally.matches)) return false;
  tally.listed.resize(in.Count());
  for (ListedEvent& one : tally.listed) {
    for (int64_t* n : {&one.excess, &one.start, &one.duration}) *n = in.Zigzag();
    for (uint32_t* n : {&one.group, &one.lane, &one.stream}) *n = static_cast<uint32_t>(in.Uleb());
    one.beside = static_cast<uint8_t>(in.Uleb());
  }
  for (uint64_t n = in.Count(); n > 0 && in.ok(); --n) {
    const auto shard = static_cast<uint32_t>(in.Uleb());
    const auto slot = static_cast<uint32_t>(in.Uleb());
    tally.spreads.insert_or_assign({shard, slot}, Spread::Read(in, kShardCells));
  }
  return in.ok() && in.at_end();
}

}  // namespace gprofx::variability
