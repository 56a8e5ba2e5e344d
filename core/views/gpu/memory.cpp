#include "core/views/gpu/memory.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/base/arithmetic.h"
#include "core/base/quantile.h"
#include "core/gpu/gpu_memory.h"
#include "core/model/inherit.h"
#include "core/slice/choose_part.h"
#include "core/slice/part_builder.h"
#include "core/views/recording.h"

namespace gprofx {
namespace {

// Maximum number of lifetimes that are kept per line, to compute their median.
constexpr size_t kMaxLives = 200'000;
// A line can be called growing only if there are at least this many steps. Blocks of nearly all of
// them must still be live at the end.
constexpr int64_t kMinSteps = 10;
constexpr double kNearlyAll = 0.9;

// Finds the nearest Python line at a node or above it. If there is none, returns the node's own
// frame.
class LineFinder {
 public:
  explicit LineFinder(const Profile& profile)
      : profile_(profile),
        of_(InheritDown<FrameId>(profile.nodes, [&](FrameId above, FrameId frame) {
          if (!frame) return FrameId{};
          return profile.frame(frame).kind == FrameKind::kPython ? frame : above;
        })) {}
  FrameId Of(NodeId node) const {
    if (!node) return {};
    return of_[node.index()] ? of_[node.index()] : profile_.node(node).frame;
  }

 private:
  const Profile& profile_;
  std::vector<FrameId> of_;
};

struct Lives {
  std::vector<int64_t> ns;
  int64_t longest = -1;
  uint64_t seen = 0;

  // Adds a lifetime. Beyond kMaxLives, it replaces the oldest one (a ring).
  void Add(int64_t life) {
    longest = std::max(longest, life);
    if (ns.size() < kMaxLives) {
      ns.push_back(life);
    } else {
      ns[seen % kMaxLives] = life;
    }
    ++seen;
  }
  int64_t MedianNs() const { return ns.empty() ? -1 : Median(ns); }
};

class Maker {
 public:
  Maker(const Profile& profile, size_t bins)
      : profile_(profile), lines_of_(profile), bins_(std::max<size_t>(bins, 1)) {
    table_.range = profile.part ? profile.part->range : TimeRange{0, EndOfRecording(profile)};
    counted_ = CountedRange(profile, table_.range);
    // Nothing is recorded after the end of --duration, so the range ends there.
    const HostNs until = MetaNumber(profile, "window_end_ns", std::numeric_limits<HostNs>::max());
    table_.range.end = std::max(table_.range.begin, std::min(table_.range.end, until));
    counted_.end = std::min(counted_.end, until);
    if (!profile.phases.trains.empty() && !profile.phases.trains[0].steps.empty()) {
      table_.has_steps = true;
      first_step_ = profile.phases.trains[0].steps.front().begin;
      last_step_ = profile.phases.trains[0].steps.back().end;
      for (const TimeRange& step : profile.phases.trains[0].steps) {
        if (step.begin >= counted_.begin && step.end <= counted_.end) steps_.push_back(step.begin);
      }
      table_.steps = static_cast<int64_t>(steps_.size());
    }
  }

  void Take(MemoryEvent event) {
    if (event.time >= counted_.end) return;
    if (!is_inside_ && event.time >= counted_.begin) Begin();
    LiveMemory freed;
    const MemoryOwner owner = OwnerOf(event);
    // At the first event of an allocator, take over the memory that was live before.
    if (!memory_.accounts().contains(owner) && event.allocated >= 0) {
      series_[owner].last_live =
          std::max<int64_t>(SubtractSaturated(event.allocated, event.bytes), 0);
      series_[owner].last_reserved = event.bytes < 0 ? event.reserved : -1;
    }
    memory_.Add(event, &freed);
    if (is_inside_) Fill(owner, event.time);
    if (event.bytes < 0 && freed.bytes > 0 && event.time >= counted_.begin) {
      const MemoryPlace& place = memory_.accounts().at(owner).places()[freed.place];
      lives_[{owner, lines_of_.Of(place.node)}].Add(event.time - freed.since);
    }
  }

  MemoryTable Finish(size_t most) && {
    if (!is_inside_) Begin();
    for (const auto& [owner, _] : memory_.accounts()) Fill(owner, table_.range.end - 1);
    for (const auto& [owner, account] : memory_.accounts()) AddAllocator(owner, account);
    std::stable_sort(table_.allocators.begin(), table_.allocators.end(),
                     [](const AllocatorMemory& a, const AllocatorMemory& b) {
                       return std::pair(a.is_shown, a.peak) > std::pair(b.is_shown, b.peak);
                     });
    for (auto& [key, lives] : lives_) {
      if (!memory_.IsShown(key.first)) continue;
      const auto line = rows_.find(key.second);
      if (line == rows_.end()) continue;
      line->second.median_life_ns = std::max(line->second.median_life_ns, lives.MedianNs());
      line->second.longest_life_ns = std::max(line->second.longest_life_ns, lives.longest);
    }
    for (const auto& [frame, left] : left_) AddGrowth(left, rows_[frame]);
    for (auto& [frame, line] : rows_) {
      line.frame = frame;
      table_.at_peaks = AddSaturated(table_.at_peaks, line.at_peak);
      if (line.at_peak != 0 || line.allocations != 0) table_.lines.push_back(line);
    }
    std::stable_sort(table_.lines.begin(), table_.lines.end(),
                     [](const MemoryLine& a, const MemoryLine& b) {
                       return std::tuple(b.at_peak, b.allocated, a.frame) <
                              std::tuple(a.at_peak, a.allocated, b.frame);
                     });
    table_.shown = std::min(most, table_.lines.size());
    return std::move(table_);
  }

 private:
  struct Series {
    std::vector<int64_t> live, reserved;
    size_t filled = 0;  // number of finished bins
    int64_t last_live = 0, last_reserved = -1;
  };

  static MemoryOwner OwnerOf(const MemoryEvent& event) {
    return {event.process, event.device, event.source == MemorySource::kFramework};
  }

  void Begin() {
    is_inside_ = true;
    memory_.BeginPart(counted_.begin);
    for (const auto& [owner, account] : memory_.accounts()) {
      Series& series = series_[owner];
      series.last_live = account.live();
      series.last_reserved = account.reserved();
    }
  }

  size_t BinOf(HostNs time) const {
    const HostNs length = std::max<HostNs>(table_.range.end - table_.range.begin, 1);
    const HostNs at = std::clamp<HostNs>(time - table_.range.begin, 0, length - 1);
    return static_cast<size_t>(static_cast<__int128>(at) * static_cast<int64_t>(bins_) / length);
  }

  // Fills the bins up to that of `time` with the bytes that were live since the allocator's
  // previous event. Then takes over the totals after the current event.
  void Fill(const MemoryOwner& owner, HostNs time) {
    Series& series = series_[owner];
    series.live.resize(bins_, 0);
    series.reserved.resize(bins_, -1);
    const auto count = [&](size_t bin) {
      series.live[bin] = std::max(series.live[bin], series.last_live);
      series.reserved[bin] = std::max(series.reserved[bin], series.last_reserved);
    };
    const size_t bin = BinOf(time);
    for (; series.filled < bin; ++series.filled) count(series.filled);
    count(bin);
    const MemoryAccount& account = memory_.accounts().at(owner);
    series.last_live = account.live();
    series.last_reserved = account.reserved();
    count(bin);
  }

  void AddAllocator(const MemoryOwner& owner, const MemoryAccount& account) {
    AllocatorMemory row;
    row.process = owner.process;
    row.device = owner.device;
    row.is_framework = owner.is_framework;
    row.is_shown = memory_.IsShown(owner);
    row.peak = account.peak();
    row.at_end = account.live();
    row.peak_time = account.peak_time();
    row.reserved_at_peak = account.reserved_at_peak();
    row.most_reserved = account.most_reserved();
    row.most_in_pools = account.most_in_pools();
    row.unknown_at_peak = account.unknown_at_peak();
    row.allocations = account.allocations();
    row.allocated = account.allocated();
    row.frees = account.frees();
    row.freed = account.freed();
    row.unmatched = account.unmatched();
    row.live = series_[owner].live;
    row.reserved = series_[owner].reserved;
    for (const auto& [_, live] : account.live_by_address()) {
      if (live.since >= counted_.begin) {
        ++row.never_freed;
        row.never_freed_bytes = AddSaturated(row.never_freed_bytes, live.bytes);
      }
      if (row.is_shown) AddLive(account, live);
    }
    if (row.is_shown) AddPlaces(account);
    table_.allocators.push_back(std::move(row));
  }

  void AddLive(const MemoryAccount& account, const LiveMemory& live) {
    MemoryLine& line = rows_[lines_of_.Of(account.places()[live.place].node)];
    if (live.since >= counted_.begin) {
      ++line.never_freed;
      line.never_freed_bytes = AddSaturated(line.never_freed_bytes, live.bytes);
    }
    if (!steps_.empty() && live.since >= steps_.front() && live.since < last_step_) {
      const auto after = std::upper_bound(steps_.begin(), steps_.end(), live.since);
      Left& left = left_[lines_of_.Of(account.places()[live.place].node)];
      left.steps.insert(static_cast<size_t>(after - steps_.begin()));
      left.bytes = AddSaturated(left.bytes, live.bytes);
    }
    if (table_.has_steps && live.since < first_step_ && last_step_ <= counted_.end) {
      line.before_steps_bytes = AddSaturated(line.before_steps_bytes, live.bytes);
    }
  }

  struct Left {  // blocks of a line that steps allocated and that are live at the end
    std::set<size_t> steps;
    int64_t bytes = 0;
  };

  void AddGrowth(const Left& left, MemoryLine& line) const {
    const auto steps = static_cast<int64_t>(left.steps.size());
    if (table_.steps < kMinSteps ||
        static_cast<double>(steps) < kNearlyAll * static_cast<double>(table_.steps)) {
      return;
    }
    line.leaving_steps = steps;
    line.grows_by = left.bytes / table_.steps;
  }

  void AddPlaces(const MemoryAccount& account) {
    for (const MemoryPlace& place : account.places()) {
      MemoryLine& line = rows_[lines_of_.Of(place.node)];
      line.at_peak = AddSaturated(line.at_peak, place.at_peak);
      line.allocated = AddSaturated(line.allocated, place.allocated);
      line.allocations = AddSaturated(line.allocations, place.allocations);
    }
    if (account.unknown_at_peak() != 0) {
      MemoryLine& line = rows_[lines_of_.Of(FindAllocatedBefore(profile_))];
      line.at_peak = AddSaturated(line.at_peak, account.unknown_at_peak());
    }
  }

  const Profile& profile_;
  LineFinder lines_of_;
  size_t bins_;
  MemoryTable table_;
  TimeRange counted_;
  HostNs first_step_ = 0, last_step_ = 0;
  std::vector<HostNs> steps_;  // start times of steps in the range
  std::map<FrameId, Left> left_;
  bool is_inside_ = false;
  GpuMemory memory_;
  std::map<MemoryOwner, Series> series_;
  std::map<std::pair<MemoryOwner, FrameId>, Lives> lives_;
  std::map<FrameId, MemoryLine> rows_;
};

}  // namespace

MemoryTable MakeMemoryTable(const Profile& profile, std::span<const MemoryEvent> events,
                            size_t bins, size_t lines) {
  Maker maker(profile, bins);
  for (const MemoryEvent& event : events) maker.Take(event);
  return std::move(maker).Finish(lines);
}

}  // namespace gprofx
