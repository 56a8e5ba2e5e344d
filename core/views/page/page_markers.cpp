#include "core/views/page/page_markers.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

// Puts each range into the first row whose last range has ended. Outer ranges begin first, so inner
// ranges are below them.
void PlaceRows(PageMarkers& page) {
  std::vector<std::vector<HostNs>> ends(page.lanes.size());
  for (PageMarker& marker : page.markers) {
    std::vector<HostNs>& rows = ends[marker.lane];
    uint32_t row = 0;
    while (row < rows.size() && rows[row] > marker.start) ++row;
    row = std::min(row, PageMarkersBuilder::kMaxRows - 1);
    if (row == rows.size()) rows.push_back(marker.start);
    rows[row] = std::max(rows[row], marker.start + marker.duration);
    marker.row = row;
  }
  for (size_t i = 0; i < ends.size(); ++i)
    page.lanes[i].rows = static_cast<uint32_t>(ends[i].size());
}

}  // namespace

void PageMarkersBuilder::Add(const EventTable& rows) {
  for (size_t i = 0; i < rows.column(column::kMarkerStart).size(); ++i) {
    const auto at = [&](size_t column) { return rows.column(column)[i]; };
    // A file may contain any times, so cut ranges to the run.
    const HostNs start = at(column::kMarkerStart);
    const HostNs stop = AddSaturated(start, std::max<int64_t>(at(column::kMarkerDuration), 0));
    if (stop < 0 || start > end_) continue;
    PageMarker& marker = all_.emplace_back();
    marker.start = std::max<HostNs>(start, 0);
    marker.duration = std::min(stop, end_) - marker.start;
    marker.lane = static_cast<uint32_t>(at(column::kMarkerThread));
    marker.name = StringId{static_cast<uint32_t>(at(column::kMarkerName))};
    marker.domain = StringId{static_cast<uint32_t>(at(column::kMarkerDomain))};
  }
}

PageMarkers PageMarkersBuilder::Finish() && {
  PageMarkers page;
  std::map<uint32_t, size_t> counts;  // by thread
  for (const PageMarker& marker : all_) ++counts[marker.lane];
  std::vector<std::pair<size_t, uint32_t>> order;
  for (const auto& [thread, count] : counts) order.emplace_back(count, thread);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  order.resize(std::min(order.size(), kMaxLanes));
  std::map<uint32_t, uint32_t> lane_of;
  for (const auto& [count, thread] : order) {
    lane_of[thread] = static_cast<uint32_t>(page.lanes.size());
    PageMarkerLane& lane = page.lanes.emplace_back();
    if (thread == 0) continue;
    lane.thread = profile_.Text(profile_.thread(ThreadId{thread}).name);
    lane.tid = profile_.thread(ThreadId{thread}).tid;
  }
  const size_t found = all_.size();
  std::erase_if(all_, [&](const PageMarker& marker) { return !lane_of.contains(marker.lane); });
  if (all_.size() > kMax) {
    std::stable_sort(all_.begin(), all_.end(), [](const PageMarker& a, const PageMarker& b) {
      return a.duration > b.duration;
    });
    all_.resize(kMax);
  }
  page.left_out = found - all_.size();
  for (PageMarker& marker : all_) marker.lane = lane_of.at(marker.lane);
  std::stable_sort(all_.begin(), all_.end(), [](const PageMarker& a, const PageMarker& b) {
    return std::tuple(a.start, -a.duration) < std::tuple(b.start, -b.duration);
  });
  page.markers = std::move(all_);
  PlaceRows(page);
  return page;
}

}  // namespace gprofx
