#include "core/views/wall.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/gpu/level_windows.h"
#include "core/views/ranks.h"

namespace gprofx {
namespace {

constexpr char kUnexplained[] = "unexplained";
constexpr size_t kMaxIdleParts = 12;  // programs use few waiting calls, but a file may contain more

void Add(const WallShare& part, WallShare& sum) {
  sum.ns = AddSaturated(sum.ns, part.ns);
  sum.margin_ns = AddSaturated(sum.margin_ns, part.margin_ns);
  sum.tenths += part.tenths;
}

// Sorts the parts by size. Merges the smallest if there are too many for a line. The unexplained
// part is always last.
void OrderIdle(std::vector<WallShare>& parts) {
  WallShare rest{kUnexplained}, other{"other causes"};
  const auto unexplained = std::find_if(
      parts.begin(), parts.end(), [](const WallShare& part) { return part.what == kUnexplained; });
  if (unexplained != parts.end()) {
    rest = *unexplained;
    parts.erase(unexplained);
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const WallShare& a, const WallShare& b) { return a.ns > b.ns; });
  while (!parts.empty() && (parts.back().ns == 0 || parts.size() > kMaxIdleParts)) {
    Add(parts.back(), other);
    parts.pop_back();
  }
  if (other.ns != 0) parts.push_back(other);
  parts.push_back(rest);
}

// Sets the tenths of a percent of all parts. Each part gets its tenths rounded down. The missing
// tenths go to the parts with the largest remainders (largest remainder method).
void GiveTenths(const std::vector<WallShare*>& parts) {
  // Values in a file may be huge, so their sum needs more than 64 bits.
  __extension__ using Wide = unsigned __int128;
  Wide total = 0;
  for (const WallShare* part : parts) total += static_cast<uint64_t>(part->ns);
  if (total == 0) return;
  std::vector<std::pair<Wide, WallShare*>> remainders;
  int missing = 1000;
  for (WallShare* part : parts) {
    const Wide scaled = Wide{static_cast<uint64_t>(part->ns)} * 1000;
    part->tenths = static_cast<int>(scaled / total);
    missing -= part->tenths;
    remainders.emplace_back(scaled % total, part);
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (int i = 0; i < missing; ++i) ++remainders[static_cast<size_t>(i)].second->tenths;
}

void SumUp(WallShare& whole, const std::vector<WallShare>& parts) {
  for (const WallShare& part : parts) Add(part, whole);
}

WallShares ShareParts(const std::vector<WallPart>& all_parts) {
  WallShares shares;
  shares.busy.what = "GPU busy";
  shares.idle.what = "GPU idle";
  std::map<std::string, WallShare> busy, idle;
  for (const WallPart& part : all_parts) {
    const int64_t ns = std::max<int64_t>(part.ns, 0);
    const int64_t margin = std::max<int64_t>(part.margin_ns, 0);
    if (part.name == kUnseenPart) {
      shares.unseen_ns = AddSaturated(shares.unseen_ns, ns);
      continue;
    }
    shares.total_ns = AddSaturated(shares.total_ns, ns);
    if (part.name == "gpu.compute" || part.name == "gpu.communication" || part.name == "gpu.copy") {
      Add({"", ns, 0, margin}, busy[part.name.substr(4)]);
    } else {
      Add({"", ns, 0, margin}, idle[IdleCause(part.name)]);
    }
  }
  if (shares.total_ns == 0) return shares;
  for (const char* what : {"compute", "communication", "copy"}) {
    shares.busy_parts.emplace_back(busy[what]).what = what;
  }
  for (const auto& [what, share] : idle) shares.idle_parts.emplace_back(share).what = what;
  OrderIdle(shares.idle_parts);
  std::vector<WallShare*> all;
  for (WallShare& part : shares.busy_parts) all.push_back(&part);
  for (WallShare& part : shares.idle_parts) all.push_back(&part);
  GiveTenths(all);
  SumUp(shares.busy, shares.busy_parts);
  SumUp(shares.idle, shares.idle_parts);
  // Busy time is the whole minus idle time, so both have the same error. Each sum of margins is an
  // upper bound of that error, so both get the smaller sum.
  shares.busy.margin_ns = shares.idle.margin_ns =
      std::min(shares.busy.margin_ns, shares.idle.margin_ns);
  return shares;
}

}  // namespace

std::string IdleCause(const std::string& name) {
  static constexpr struct {
    const char* name;
    const char* words;
  } kCauses[] = {{"idle.python", "waiting for Python"},
                 {"idle.data_loading", "data loading"},
                 {"idle.queue_full", "launch queue full"},
                 {"idle.cuda_call", "in CUDA calls"},
                 {"idle.native", "waiting for native code"},
                 {"idle.blocked", "sleeping or blocked"},
                 {"idle.profiling", "in the profiler"},
                 {"idle.unexplained", kUnexplained},
                 {kUnseenPart, kNoRecords}};
  for (const auto& cause : kCauses) {
    if (name == cause.name) return cause.words;
  }
  if (name.starts_with("idle.sync.")) return "in " + name.substr(10);
  return name.starts_with("idle.") ? name.substr(5) : name;
}

int64_t WallShares::WholeNs() const { return AddSaturated(total_ns, unseen_ns); }

WallShares ShareWall(const Profile& profile) { return ShareParts(profile.gpu.wall); }
WallShares ShareWall(const std::vector<WallPart>& parts) { return ShareParts(parts); }

const WallShare* LargestIdle(const WallShares& shares) {
  if (shares.idle.tenths <= 0 || shares.idle_parts.empty()) return nullptr;
  // The largest need not be the first, because the unexplained part is always last.
  return &*std::max_element(shares.idle_parts.begin(), shares.idle_parts.end(),
                            [](const WallShare& a, const WallShare& b) { return a.ns < b.ns; });
}

int64_t ExposedCommunication(const WallLane& lane) {
  int64_t exposed = 0;
  for (const WallPart& part : lane.parts) {
    if (part.name == "gpu.communication") exposed = part.ns;
  }
  return exposed;
}

std::vector<LaneShares> ShareLanes(const Profile& profile) {
  const std::vector<uint32_t> numbers = GpuNumbers(profile);
  std::vector<LaneShares> lanes;
  for (const WallLane& lane : profile.gpu.lanes) {
    LaneShares row;
    row.shares = ShareParts(lane.parts);
    if (row.shares.total_ns == 0) continue;
    row.gpu_known = static_cast<bool>(lane.device);
    row.gpu = lane.device ? numbers[lane.device.index()] : static_cast<uint32_t>(numbers.size());
    if (lane.process) {
      const Process& process = profile.process(lane.process);
      row.process = SplitRank(profile.Text(process.name)).program;
      row.rank = RankOf(profile, lane.process);
      row.pid = process.pid;
    }
    row.hidden_tenths =
        static_cast<int>(std::min(1.0, static_cast<double>(lane.hidden_communication_ns) /
                                           static_cast<double>(row.shares.total_ns)) *
                             1000 +
                         0.5);
    lanes.push_back(std::move(row));
  }
  std::stable_sort(lanes.begin(), lanes.end(),
                   [](const LaneShares& a, const LaneShares& b) { return a.gpu < b.gpu; });
  return lanes;
}

}  // namespace gprofx
