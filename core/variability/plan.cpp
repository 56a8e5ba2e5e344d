#include "core/variability/plan.h"

#include <algorithm>
#include <cmath>

#include "core/variability/clocks.h"

namespace gprofx::variability {
namespace {

constexpr size_t kMaxCollectives = size_t{4} << 20, kFewestCollectives = 1024;
// Of these, kFewestInSlice is the minimum average number of collectives per lane and slice.
// Collectives are not matched across slice borders; with this minimum, this affects at most about
// one in 1024.
constexpr uint64_t kFewestInSlice = 1024, kMaxSlices = 64;
constexpr size_t kMaxStepShards = 1024, kFewestStepShards = 8;

std::string Quoted(const std::string& path) { return "'" + path + "'"; }

// Leaves out files that cannot be read, that are empty, or that are a copy of another file.
void ChooseFiles(const Survey& survey, const std::vector<FileEntry>& files, Planned& out) {
  out.plan.left_out.assign(files.size(), 1);
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> known;
  std::map<int64_t, uint32_t> ranks;
  for (const auto& [index, file] : survey.files) {
    const std::string& path = files[index].path;
    if (!file.error.empty()) {
      out.problems.push_back("left out: " + file.error);
      out.partial = true;
      continue;
    }
    for (const std::string& note : file.facts.notes)
      out.notes.push_back(Quoted(path) + ": " + note);
    if (file.broken > 0) {
      out.notes.push_back(Quoted(path) + ": " + std::to_string(file.broken) +
                          " events are left out, because they end before they begin");
    }
    if (file.rows == 0) {
      out.problems.push_back("left out: " + Quoted(path) + " contains no GPU work");
      continue;
    }
    const auto [same, is_new] =
        known.try_emplace({file.fingerprint[0], file.fingerprint[1]}, index);
    if (!is_new) {
      out.problems.push_back("left out: " + Quoted(path) + " contains the same events as " +
                             Quoted(files[same->second].path));
      continue;
    }
    if (file.facts.rank >= 0) {
      const auto [other, first] = ranks.try_emplace(file.facts.rank, index);
      if (!first) {
        out.problems.push_back("left out: " + Quoted(path) + " is rank " +
                               std::to_string(file.facts.rank) + ", as is " +
                               Quoted(files[other->second].path));
        continue;
      }
    }
    out.plan.left_out[index] = 0;
  }
}

const ProcessSteps* StepsOf(const FileFacts& facts, int64_t process) {
  for (const ProcessSteps& steps : facts.processes) {
    if (steps.process == process && !steps.steps.empty()) return &steps;
  }
  return nullptr;
}

void MakeLanes(const Survey& survey, const std::vector<int64_t>& offsets, Plan& plan) {
  std::map<std::pair<uint32_t, int64_t>, uint32_t> ranks;
  plan.begin = INT64_MAX;
  plan.end = INT64_MIN;
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const auto& [id, lane] : survey.lanes) {
    if (plan.left_out[id.file] != 0) continue;
    PlanLane made;
    made.id = id;
    made.offset = offsets[id.file];
    const auto next = static_cast<uint32_t>(ranks.size());
    made.rank = ranks.try_emplace({id.file, id.process}, next).first->second;
    if (const ProcessSteps* steps = StepsOf(survey.files.at(id.file).facts, id.process)) {
      made.warm_up = steps->warm_up;
      made.tells_idle = survey.files.at(id.file).facts.tells_idle;
      for (const TimeRange& step : steps->steps) {
        made.steps.push_back({step.begin + made.offset, step.end + made.offset});
      }
    }
    plan.lanes.push_back(std::move(made));
    first = std::min(first, lane.first + offsets[id.file]);
    last = std::max(last, lane.last + offsets[id.file]);
    if (lane.kernels == 0) continue;
    plan.begin = std::min(plan.begin, lane.first_kernel + offsets[id.file]);
    plan.end = std::max(plan.end, lane.last_kernel + offsets[id.file]);
  }
  if (plan.begin > plan.end) {  // there are only copies, no kernels
    plan.begin = std::min(first, last);
    plan.end = last;
  }
  if (plan.lanes.empty()) plan.begin = plan.end = 0;
}

void MakeShards(const Options& options, Plan& plan) {
  size_t most = 0, fewest = SIZE_MAX, ranks = 0;
  for (const PlanLane& lane : plan.lanes) {
    most = std::max(most, lane.steps.size());
    fewest = std::min(fewest, lane.steps.size());
    ranks = std::max<size_t>(ranks, lane.rank + 1);
  }
  const bool by_step = fewest >= kFewestStepShards && most <= kMaxStepShards;
  plan.axis = options.axis.value_or(by_step && !plan.empty() ? Axis::kStep : Axis::kTime);
  switch (plan.axis) {
    case Axis::kTime:
      plan.shards = options.shards;
      plan.bins = plan.shards * kBlocksPerShard;
      break;
    case Axis::kStep:
      plan.shards = static_cast<uint32_t>(std::min<size_t>(std::max<size_t>(most, 1), kMaxShards));
      plan.bins = plan.shards * kBlocksPerStep;
      break;
    case Axis::kRank:
    case Axis::kDevice:
      plan.shards = static_cast<uint32_t>(
          std::max<size_t>(plan.axis == Axis::kRank ? ranks : plan.lanes.size(), 1));
      plan.bins = 2 * kBlocksPerShard;
      break;
  }
}

void Measure(const SpreadSummary& spread, PlanGroup& group) {
  group.median = std::max<int64_t>(std::llround(spread.median), 1);
  group.log_median = LogOf(group.median);
  group.votes = spread.n >= kMinVotes;
}

// Chooses the number of slices and the maximum number of collectives per lane and slice. If there
// are at most kMaxCollectives in all, every collective is kept, however they are distributed in
// time.
void MakeSlices(uint64_t collectives, Plan& plan) {
  const size_t lanes = plan.lanes.size();
  if (lanes < 2) return;  // no lane could wait for another
  const uint64_t wanted = collectives / lanes / kFewestInSlice;
  plan.slices = static_cast<uint32_t>(std::clamp<uint64_t>(wanted, 1, kMaxSlices));
  plan.most_collectives = kMaxCollectives;
  if (collectives <= kMaxCollectives) return;
  plan.most_collectives = std::max(kFewestCollectives, kMaxCollectives / lanes / plan.slices);
}

void MakeGroups(const Survey& survey, Plan& plan) {
  uint64_t collectives = 0;
  for (const auto& [hash, group] : survey.summaries) {
    PlanGroup made;
    made.hash = hash;
    made.kind = KeyOf(group.key).kind;
    made.base = static_cast<uint32_t>(plan.groups.size());
    Measure(group.whole, made);
    made.log_whole = made.log_median;
    if (made.kind == Kind::kCollective) collectives += group.whole.n;
    if (!group.threshold) {
      plan.groups.push_back(made);
      continue;
    }
    made.has_clusters = true;
    made.threshold = *group.threshold;
    for (const SpreadSummary& cluster : group.clusters) {
      Measure(cluster, made);
      plan.groups.push_back(made);
    }
  }
  MakeSlices(collectives, plan);
}

}  // namespace

std::string_view AxisWord(Axis axis) {
  static constexpr std::string_view kWords[] = {"time", "step", "rank", "device"};
  return kWords[static_cast<size_t>(axis)];
}

uint32_t BinAt(int64_t time, int64_t begin, int64_t end, uint32_t bins) {
  if (end <= begin || time <= begin) return 0;
  uint64_t product = 0;
  const auto since = static_cast<uint64_t>(time - begin),
             whole = static_cast<uint64_t>(end - begin);
  if (!__builtin_mul_overflow(since, uint64_t{bins}, &product)) {
    return static_cast<uint32_t>(std::min<uint64_t>(product / whole, bins - 1));
  }
  const Int128 place = static_cast<Int128>(since) * bins / static_cast<Int128>(whole);
  return static_cast<uint32_t>(std::min<Int128>(place, bins - 1));
}

Planned MakePlan(const Survey& survey, const std::vector<FileEntry>& files,
                 const Options& options) {
  Planned out;
  ChooseFiles(survey, files, out);
  const AlignedClocks clocks = AlignClocks(survey, out.plan.left_out, files);
  out.clocks = clocks.notes;
  out.notes.insert(out.notes.end(), clocks.lines.begin(), clocks.lines.end());
  MakeLanes(survey, clocks.offsets, out.plan);
  MakeShards(options, out.plan);
  out.plan.listed = options.listed.value_or(UINT32_MAX);
  out.plan.most_listed = options.most_listed;
  MakeGroups(survey, out.plan);
  return out;
}

std::string Plan::Write() const {
  ByteWriter out;
  out.Put(static_cast<uint64_t>(axis));
  out.Put(shards);
  out.Put(bins);
  out.PutSigned(begin);
  out.PutSigned(end);
  out.Put(most_collectives);
  out.Put(slices);
  out.Put(listed);
  out.Put(most_listed);
  out.Put(lanes.size());
  for (const PlanLane& lane : lanes) {
    out.Put(lane.id.file);
    out.PutSigned(lane.id.process);
    out.PutSigned(lane.id.device);
    out.Put(lane.rank);
    out.PutSigned(lane.offset);
    out.Put(lane.warm_up);
    out.Put(lane.tells_idle ? 1 : 0);
    out.Put(lane.steps.size());
    for (const TimeRange& step : lane.steps) {
      out.PutSigned(step.begin);
      out.PutSigned(step.end);
    }
  }
  out.Put(groups.size());
  for (const PlanGroup& group : groups) {
    out.Put(group.hash.high);
    out.Put(group.hash.low);
    out.Put(static_cast<uint64_t>(group.kind));
    out.PutSigned(group.median);
    out.PutSigned(group.log_median);
    out.Put((group.votes ? 1U : 0U) | (group.has_clusters ? 2U : 0U));
    out.Put(group.base);
    out.PutSigned(group.threshold);
    out.PutSigned(group.log_whole);
  }
  out.Put(left_out.size());
  for (const uint8_t left : left_out) out.Put(left);
  return out.Take();
}

bool Plan::Read(std::string_view bytes, Plan& plan) {
  ByteReader in(bytes);
  const uint64_t axis = in.Uleb();
  plan.axis = static_cast<Axis>(axis < 4 ? axis : 0);
  plan.shards = static_cast<uint32_t>(in.Uleb());
  plan.bins = static_cast<uint32_t>(in.Uleb());
  plan.begin = in.Zigzag();
  plan.end = in.Zigzag();
  plan.most_collectives = in.Uleb();
  plan.slices = static_cast<uint32_t>(in.Uleb());
  plan.listed = static_cast<uint32_t>(in.Uleb());
  plan.most_listed = in.Uleb();
  plan.lanes.resize(in.Count());
  for (PlanLane& lane : plan.lanes) {
    lane.id.file = static_cast<uint32_t>(in.Uleb());
    lane.id.process = in.Zigzag();
    lane.id.device = in.Zigzag();
    lane.rank = static_cast<uint32_t>(in.Uleb());
    lane.offset = in.Zigzag();
    lane.warm_up = static_cast<uint32_t>(in.Uleb());
    lane.tells_idle = in.Uleb() != 0;
    lane.steps.resize(in.Count());
    for (TimeRange& step : lane.steps) {
      step.begin = in.Zigzag();
      step.end = in.Zigzag();
    }
  }
  plan.groups.resize(in.Count());
  for (PlanGroup& group : plan.groups) {
    group.hash.high = in.Uleb();
    group.hash.low = in.Uleb();
    const uint64_t kind = in.Uleb();
    group.kind = static_cast<Kind>(kind < kKinds ? kind : 0);
    group.median = in.Zigzag();
    group.log_median = in.Zigzag();
    const uint64_t flags = in.Uleb();
    group.votes = (flags & 1) != 0;
    group.has_clusters = (flags & 2) != 0;
    group.base = static_cast<uint32_t>(in.Uleb());
    group.threshold = in.Zigzag();
    group.log_whole = in.Zigzag();
  }
  plan.left_out.resize(in.Count());
  for (uint8_t& left : plan.left_out) left = static_cast<uint8_t>(in.Uleb());
  return in.ok() && in.at_end() && plan.shards > 0 && plan.bins > 0 && plan.slices > 0;
}

}  // namespace gprofx::variability
