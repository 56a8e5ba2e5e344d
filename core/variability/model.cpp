#include "core/variability/model.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "core/base/format.h"
#include "core/base/path.h"
#include "core/variability/stages/build.h"

namespace gprofx::variability {
namespace {

constexpr uint32_t kMaxHeat = 1U << 20;  // maximum number of values of the heat map

// Sets the names of lanes. A lane is "rank 3" if its file has a rank; otherwise its name consists
// of the properties in which the lanes differ.
void NameLanes(const Survey& survey, const std::vector<FileEntry>& files, Model& model) {
  std::set<uint32_t> used;
  std::map<uint32_t, std::set<int64_t>> processes;
  std::map<std::pair<uint32_t, int64_t>, size_t> devices;
  for (const LaneRow& lane : model.lanes) {
    used.insert(lane.id.file);
    processes[lane.id.file].insert(lane.id.process);
    ++devices[{lane.id.file, lane.id.process}];
  }
  for (LaneRow& lane : model.lanes) {
    const int64_t rank = survey.files.at(lane.id.file).facts.rank;
    const bool many = processes[lane.id.file].size() > 1;
    std::string name = rank >= 0 ? "rank " + std::to_string(rank) : "";
    if (rank < 0 && used.size() > 1) name = BaseName(files[lane.id.file].path);
    if (many) name += (name.empty() ? "" : " ") + ("pid " + std::to_string(lane.id.process));
    if (devices[{lane.id.file, lane.id.process}] > 1 || many || name.empty()) {
      name += (name.empty() ? "" : " ") + ("gpu " + std::to_string(lane.id.device));
    }
    lane.name = name;
  }
}

std::string ShardName(const Model& model, const Plan& plan, uint32_t shard) {
  switch (plan.axis) {
    case Axis::kTime: {
      const auto span = static_cast<double>(plan.end - plan.begin);
      const double unit = span < 1e10 ? 1e6 : 1e9;
      const int digits = span < 1e8 ? 3 : span < 1e10 ? 1 : 2;
      return Format("%.*f..%.*f %s", digits, span * shard / plan.shards / unit, digits,
                    span * (shard + 1) / plan.shards / unit, span < 1e10 ? "ms" : "s");
    }
    case Axis::kStep:
      return "step " + std::to_string(shard);
    case Axis::kRank:
      for (const LaneRow& lane : model.lanes) {
        if (lane.rank_shard != shard) continue;
        const size_t gpu = lane.name.rfind(" gpu ");
        return gpu == std::string::npos ? lane.name : lane.name.substr(0, gpu);
      }
      return "";
    case Axis::kDevice:
      return model.lanes[shard].name;
  }
  return "";
}

void AddLanes(const Survey& survey, const Plan& plan, Model& model) {
  for (const PlanLane& lane : plan.lanes) {
    const LaneSurvey& found = survey.lanes.at(lane.id);
    LaneRow row;
    row.id = lane.id;
    row.rank_shard = lane.rank;
    row.kernels = found.kernels;
    row.others = found.others;
    row.begin = found.first + lane.offset - plan.begin;
    row.end = found.last + lane.offset - plan.begin;
    row.steps = lane.steps.size();
    model.kernels += row.kernels;
    model.others += row.others;
    model.lanes.push_back(row);
  }
}

void AddHeat(const Build& build, Model& model) {
  const bool by_shard = build.plan.axis == Axis::kTime || build.plan.axis == Axis::kStep;
  model.heat_bins = by_shard ? build.plan.shards : build.plan.bins;
  if (uint64_t{model.heat_bins} * model.lanes.size() > kMaxHeat) {
    model.heat_bins = 0;
    return;
  }
  model.heat.assign(size_t{model.heat_bins} * model.lanes.size(), 0);
  for (const BlockCell& cell : build.cells) {
    const GroupRow& row = model.groups[cell.row];
    if (!row.votes) continue;
    const uint32_t bin = by_shard ? cell.shard : cell.bin;
    model.heat[size_t{cell.lane} * model.heat_bins + bin] +=
        static_cast<double>(cell.cell.sum) - static_cast<double>(cell.cell.n) * row.median;
  }
}

void AddEvents(const Build& build, Model& model) {
  if (build.plan.listed == UINT32_MAX) return;
  model.listed = build.plan.listed;
  for (const ListedEvent& one : build.tally.listed) {
    const uint32_t row = build.row_of[one.group];
    model.events.push_back({row, one.lane, one.stream, one.start - build.plan.begin, one.duration,
                            static_cast<double>(one.duration) - model.groups[row].median,
                            one.beside});
  }
}

// Sorts the groups by excess, groups that vote first, and updates the positions of groups in other
// rows.
void SortGroups(Model& model) {
  std::vector<uint32_t> order(model.groups.size()), place(model.groups.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const GroupRow &x = model.groups[a], &y = model.groups[b];
    return std::tuple(!x.votes, -x.excess_ns, a) < std::tuple(!y.votes, -y.excess_ns, b);
  });
  std::vector<GroupRow> sorted;
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(model.groups[order[i]]));
  }
  model.groups = std::move(sorted);
  for (Finding& finding : model.findings) {
    if (finding.group) finding.group = place[*finding.group];
  }
  for (EffectRow& effect : model.effects) effect.group = place[effect.group];
  for (CollectiveRow& row : model.collectives) row.group = place[row.group];
  for (EventRow& event : model.events) event.group = place[event.group];
}

}  // namespace

Model MakeModel(const Survey& survey, const Planned& planned, const Tally& tally,
                const std::vector<FileEntry>& files) {
  const Plan& plan = planned.plan;
  Model model;
  model.axis = plan.axis;
  model.partial = planned.partial || !tally.errors.empty();
  model.begin = plan.begin;
  model.end = plan.end;
  model.outside = tally.outside;
  model.problems = planned.problems;
  for (const auto& [file, error] : tally.errors) model.problems.push_back(error);
  model.notes = planned.notes;
  model.clocks = planned.clocks;
  for (const ClockNote& clock : planned.clocks) model.clock_files.push_back(files[clock.file].path);
  for (const uint8_t left : plan.left_out) model.files += left == 0 ? 1 : 0;
  AddLanes(survey, plan, model);
  NameLanes(survey, files, model);
  model.shards.resize(plan.shards);
  for (uint32_t i = 0; i < plan.shards && !plan.empty(); ++i) {
    model.shards[i].name = ShardName(model, plan, i);
    if (i >= tally.shards.size()) continue;
    model.shards[i].kernels = tally.shards[i].kernels;
    model.shards[i].kernel_ns = tally.shards[i].kernel_ns;
  }
  Build build{survey, plan, tally, model, {}, {}, {}, {}, {}, {}, 0};
  BuildGroups(build);
  BuildSteps(build);
  BuildCollectives(build);
  BuildEffects(build);
  BuildShards(build);
  BuildCauses(build);
  AddHeat(build, model);
  AddEvents(build, model);
  std::set<std::string> devices;
  for (const GroupRow& row : model.groups) {
    devices.insert(row.key.device);
    model.silent_groups += row.votes ? 0 : 1;
    model.warm_up += row.warm_up;
  }
  model.devices.assign(devices.begin(), devices.end());
  SortGroups(model);
  if (model.devices.size() > 1) {
    model.notes.push_back("kernels of different models of GPUs are never compared with each other");
  }
  return model;
}

}  // namespace gprofx::variability
