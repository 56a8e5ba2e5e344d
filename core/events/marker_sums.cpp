#include "core/events/marker_sums.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "core/base/arithmetic.h"
#include "core/slice/part_builder.h"
#include "core/wall/timeline_bins.h"

namespace gprofx {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

// Returns "step " for "step 12". Returns the whole name if it does not end in a number.
std::string_view WithoutNumber(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789");
  return last == std::string_view::npos ? name.substr(0, 0) : name.substr(0, last + 1);
}

}  // namespace

MarkerSums::MarkerSums(const Profile& profile, std::span<const PhaseMarker> markers,
                       TimeRange range)
    : profile_(profile),
      markers_(markers),
      range_(range),
      counted_(CountedRange(profile, range)),
      track_of_(profile.threads.size() + 1, kNowhere) {
  NameRows();
  MakeTracks();
}

void MarkerSums::NameRows() {
  using Name = std::pair<StringId, StringId>;            // domain, name
  using Family = std::pair<StringId, std::string_view>;  // domain, name without its number
  std::map<Name, uint32_t> rows;
  std::map<Family, std::pair<size_t, uint32_t>> families;  // number of names, row of the family
  for (const PhaseMarker& marker : markers_) {
    if (!rows.try_emplace({marker.domain, marker.name}, kNowhere).second) continue;
    ++families[{marker.domain, WithoutNumber(profile_.Text(marker.name))}].first;
  }
  for (auto& entry : families) entry.second.second = kNowhere;
  for (auto& [key, row] : rows) {
    const std::string_view name = profile_.Text(key.second), stem = WithoutNumber(name);
    auto& [names, family] = families[{key.first, stem}];
    const bool folds = stem.size() < name.size() && names > kMaxNumbers;
    if (folds && family != kNowhere) {
      row = family;
      continue;
    }
    row = static_cast<uint32_t>(rows_.size());
    if (folds) family = row;
    MarkerSum& sum = rows_.emplace_back();
    sum.domain = profile_.Text(key.first);
    sum.name = folds ? std::string(stem) + "*" : std::string(name);
  }
  row_of_.reserve(markers_.size());
  for (const PhaseMarker& marker : markers_) {
    row_of_.push_back(rows.at({marker.domain, marker.name}));
  }
}

void MarkerSums::MakeTracks() {
  // By process: the only thread that names ranges; 0 = there are several.
  std::map<ProcessId, ThreadId> only;
  for (const PhaseMarker& marker : markers_) {
    if (!marker.thread) continue;
    const auto [found, is_first] =
        only.try_emplace(profile_.thread(marker.thread).process, marker.thread);
    if (!is_first && found->second != marker.thread) found->second = {};
    track_of_[marker.thread.value] = 0;
  }
  // Track 0 is for ranges without a thread.
  std::map<std::pair<ProcessId, ThreadId>, uint32_t> tracks = {{{}, 0}};
  track_of_[0] = 0;
  for (uint32_t i = 1; i < track_of_.size(); ++i) {
    const ProcessId process = profile_.thread(ThreadId{i}).process;
    const auto owner = only.find(process);
    const bool shared = owner != only.end() && owner->second;
    if (!shared && track_of_[i] == kNowhere) continue;
    const auto [found, is_new] = tracks.try_emplace({process, shared ? ThreadId{} : ThreadId{i}},
                                                    static_cast<uint32_t>(tracks.size()));
    track_of_[i] = found->second;
  }
  tracks_.resize(tracks.size());
  for (const PhaseMarker& marker : markers_) {
    if (marker.begin >= marker.end) continue;
    std::vector<HostNs>& cuts = tracks_[track_of_[marker.thread.value]].cuts;
    cuts.push_back(marker.begin);
    cuts.push_back(marker.end);
  }
  for (Track& track : tracks_) {
    std::sort(track.cuts.begin(), track.cuts.end());
    track.cuts.erase(std::unique(track.cuts.begin(), track.cuts.end()), track.cuts.end());
    track.pieces.resize(track.cuts.size());
  }
}

MarkerSums::Piece* MarkerSums::PieceAt(ThreadId thread, HostNs time) {
  if (!thread || track_of_[thread.value] == kNowhere) return nullptr;
  Track& track = tracks_[track_of_[thread.value]];
  const auto next = std::upper_bound(track.cuts.begin(), track.cuts.end(), time);
  if (next == track.cuts.begin()) return nullptr;
  return &track.pieces[static_cast<size_t>(next - track.cuts.begin()) - 1];
}

void MarkerSums::AddOperations(std::span<const PhaseOperation> operations) {
  for (const PhaseOperation& operation : operations) {
    if (operation.launch == 0) continue;
    const bool begins = operation.start >= counted_.begin && operation.start < counted_.end;
    const int64_t ns =
        std::min(operation.end, counted_.end) - std::max(operation.start, counted_.begin);
    if (!begins && ns <= 0) continue;
    Piece* const piece = PieceAt(operation.thread, operation.launch);
    if (piece == nullptr) continue;
    piece->gpu = AddSaturated(piece->gpu, std::max<int64_t>(ns, 0));
    piece->operations += begins ? 1 : 0;
  }
}

void MarkerSums::AddSamples(std::span<const SampleRow> samples) {
  for (const SampleRow& row : samples) {
    if (row.time < counted_.begin || row.time >= counted_.end) continue;
    if ((row.state & kStateIdle) != 0) continue;
    if (Piece* const piece = PieceAt(row.thread, row.time)) {
      piece->cpu = AddSaturated(piece->cpu, row.weight);
    }
  }
}

// Adds to `sum` the ranges of one row on one track, and their times to `shown`. `ranges` must be
// sorted by begin; ranges that touch are merged. The pieces must already hold running sums.
void MarkerSums::AddRun(std::span<const Range> ranges, MarkerSum& sum,
                        std::vector<TimeRange>& shown) const {
  const Track& track = tracks_[ranges[0].track];
  const auto before = [&](HostNs time) {
    const auto at = std::lower_bound(track.cuts.begin(), track.cuts.end(), time);
    return at == track.cuts.begin()
               ? Piece{}
               : track.pieces[static_cast<size_t>(at - track.cuts.begin()) - 1];
  };
  for (size_t i = 0; i < ranges.size();) {
    const HostNs begin = ranges[i].begin;
    HostNs end = ranges[i].end;
    for (++i; i < ranges.size() && ranges[i].begin <= end; ++i) end = std::max(end, ranges[i].end);
    const Piece from = before(begin), to = before(end);
    sum.cpu_ns = AddSaturated(sum.cpu_ns, SubtractSaturated(to.cpu, from.cpu));
    sum.gpu_ns = AddSaturated(sum.gpu_ns, SubtractSaturated(to.gpu, from.gpu));
    sum.gpu_operations += to.operations - from.operations;
    const TimeRange part = {std::max(begin, range_.begin), std::min(end, range_.end)};
    if (part.begin >= part.end) continue;
    sum.total_ns = AddSaturated(sum.total_ns, part.end - part.begin);
    shown.push_back(part);
  }
}

void MarkerSums::SumPieces() {
  for (Track& track : tracks_) {
    Piece sum;
    for (Piece& piece : track.pieces) {
      sum.cpu = piece.cpu = AddSaturated(piece.cpu, sum.cpu);
      sum.gpu = piece.gpu = AddSaturated(piece.gpu, sum.gpu);
      sum.operations = piece.operations += sum.operations;
    }
  }
}

// Counts the markers of each row. Returns the ranges, sorted by row, track and begin. They are not
// cut to the slice, because work that is launched before the slice may run in it.
std::vector<MarkerSums::Range> MarkerSums::CountMarkers() {
  std::vector<Range> ranges;
  std::vector<int64_t> lengths(rows_.size());
  for (size_t i = 0; i < markers_.size(); ++i) {
    const PhaseMarker& marker = markers_[i];
    MarkerSum& sum = rows_[row_of_[i]];
    if (marker.begin >= marker.end) {
      const bool inside = marker.begin >= counted_.begin && marker.begin < counted_.end;
      sum.count += inside ? 1 : 0;
      sum.moments += inside ? 1 : 0;
      continue;
    }
    ranges.push_back({row_of_[i], track_of_[marker.thread.value], marker.begin, marker.end});
    const int64_t ns = std::min(marker.end, range_.end) - std::max(marker.begin, range_.begin);
    if (ns <= 0) continue;
    ++sum.count;
    sum.largest_ns = std::max(sum.largest_ns, ns);
    lengths[row_of_[i]] = AddSaturated(lengths[row_of_[i]], ns);
  }
  for (size_t i = 0; i < rows_.size(); ++i) {
    const int64_t whole = rows_[i].count - rows_[i].moments;
    if (whole > 0) rows_[i].mean_ns = lengths[i] / whole;
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::tuple(a.row, a.track, a.begin) < std::tuple(b.row, b.track, b.begin);
  });
  return ranges;
}

std::vector<MarkerSum> MarkerSums::Finish(size_t bins) && {
  SumPieces();
  const std::vector<Range> ranges = CountMarkers();
  std::vector<TimeRange> shown;  // the times covered by each row, one row after another
  std::vector<std::pair<size_t, size_t>> shown_of(rows_.size());  // [first, last)
  for (size_t i = 0, end = 0; i < ranges.size(); i = end) {
    const auto& [row, track, from, to] = ranges[i];
    while (end < ranges.size() && ranges[end].row == row && ranges[end].track == track) ++end;
    auto& [first, last] = shown_of[row];
    if (i == 0 || ranges[i - 1].row != row) first = shown.size();
    AddRun(std::span(ranges).subspan(i, end - i), rows_[row], shown);
    last = shown.size();
  }
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].count > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const auto key = [](const MarkerSum& row) {
      return std::tuple(-row.total_ns, -row.count, std::string_view(row.name),
                        std::string_view(row.domain));
    };
    return key(rows_[a]) < key(rows_[b]);
  });
  std::vector<MarkerSum> out;
  for (const uint32_t i : order) {
    MarkerSum& row = out.emplace_back(std::move(rows_[i]));
    if (bins == 0 || out.size() > kMaxBinned) continue;
    row.bins.resize(bins);
    for (size_t k = shown_of[i].first; k < shown_of[i].second; ++k) {
      SpreadOverBins(range_, shown[k].begin, shown[k].end, row.bins);
    }
  }
  return out;
}

}  // namespace gprofx
