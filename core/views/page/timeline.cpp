#include "core/views/page/timeline.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <tuple>

#include "core/base/arithmetic.h"
#include "core/views/wall.h"

namespace gprofx {
namespace {

std::vector<int> Percent(const TimelineBins& bins, const std::vector<int64_t>& busy) {
  const double length = static_cast<double>(bins.range.end - bins.range.begin) /
                        static_cast<double>(std::max<size_t>(bins.bins, 1));
  std::vector<int> percent;
  for (const int64_t ns : busy) {
    const double share = std::min(static_cast<double>(ns) / length, 1.0) * 100;
    percent.push_back(ns > 0 ? std::max(static_cast<int>(share + 0.5), 1) : 0);
  }
  return percent;
}

TimelineRow RowOf(const Profile& profile, const TimelineBins& bins,
                  const std::vector<uint32_t>& numbers, const TimelineBins::Row& from) {
  TimelineRow row;
  row.is_gpu = from.is_gpu;
  row.busy_ns = from.busy_ns;
  row.percent = Percent(bins, from.bins);
  const bool has_stream = from.stream && from.stream.index() < profile.gpu.streams.size();
  const bool has_thread = from.thread && from.thread.index() < profile.threads.size();
  row.is_known = has_stream || has_thread;
  if (has_stream) {
    const GpuStreamRow& stream = profile.gpu.streams[from.stream.index()];
    row.stream = stream.number;
    if (stream.context) {
      const GpuContext& context = profile.gpu.contexts[stream.context.index()];
      if (context.device) row.gpu = numbers[context.device.index()];
      if (context.process) row.pid = profile.process(context.process).pid;
    }
  }
  if (has_thread) {
    const Thread& thread = profile.thread(from.thread);
    row.name = profile.Text(thread.name);
    row.tid = thread.tid;
    row.pid = thread.process ? profile.process(thread.process).pid : 0;
  }
  return row;
}

// A stream is nearly idle if it is busy for less than 1/1000 of the range.
constexpr int64_t kHardly = 1000;

bool SameUser(const TimelineRow& a, const TimelineRow& b) {
  return a.gpu == b.gpu && a.pid == b.pid;
}

// Merges the nearly idle streams of each GPU and process into one row, placed after the other
// streams of that GPU and process. A single nearly idle stream keeps its row. `rows` must be sorted
// as in a Timeline.
void FoldStreams(TimeRange range, std::vector<TimelineRow>& rows) {
  const int64_t hardly = (range.end - range.begin) / kHardly;
  std::vector<TimelineRow> out;
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(begin, rows.end(), [&](const TimelineRow& row) {
      return row.is_gpu != begin->is_gpu || !SameUser(row, *begin);
    });
    const auto folds = [&](const TimelineRow& row) {
      return row.is_gpu && row.is_known && row.busy_ns < hardly;
    };
    const auto first = std::stable_partition(begin, end, std::not_fn(folds));
    for (auto row = first; row != end && row + 1 != end; ++row) {
      TimelineRow& sum = *(end - 1);
      sum.busy_ns = AddSaturated(sum.busy_ns, row->busy_ns);
      sum.streams += row->streams;
      for (size_t i = 0; i < sum.percent.size(); ++i) {
        sum.percent[i] = std::min(sum.percent[i] + row->percent[i], 100);
      }
    }
    std::move(begin, first, std::back_inserter(out));
    if (first != end) out.push_back(std::move(*(end - 1)));
    begin = end;
  }
  rows = std::move(out);
}

}  // namespace

Timeline MakeTimeline(const Profile& profile, const TimelineBins& bins, const TimelineRoom& room) {
  Timeline out;
  out.range = bins.range;
  out.bins = bins.bins;
  for (Phase phase : profile.phases.phases) {
    phase.range.begin = std::max(phase.range.begin, bins.range.begin);
    phase.range.end = std::min(phase.range.end, bins.range.end);
    if (phase.range.begin < phase.range.end) out.phases.push_back(phase);
  }
  const std::vector<uint32_t> numbers = GpuNumbers(profile);
  std::set<int64_t> users;
  for (const TimelineBins::Row& row : bins.rows) {
    out.rows.push_back(RowOf(profile, bins, numbers, row));
    if (row.is_gpu) users.insert(out.rows.back().pid);
  }
  for (const MarkerSum& marker : bins.markers) {
    if (marker.bins.empty() || marker.total_ns == 0 || out.markers.size() == room.markers) break;
    TimelineRow& row = out.markers.emplace_back();
    row.name = marker.name;
    row.busy_ns = marker.total_ns;
    row.percent = Percent(bins, marker.bins);
  }
  out.many_processes = users.size() > 1;
  std::stable_sort(
      out.rows.begin(), out.rows.end(), [](const TimelineRow& a, const TimelineRow& b) {
        const auto key = [](const TimelineRow& row) {
          return row.is_gpu ? std::tuple(0, int64_t{row.gpu}, row.pid, int64_t{row.stream})
                            : std::tuple(1, -row.busy_ns, row.pid, row.tid);
        };
        return key(a) < key(b);
      });
  if (room.fold_streams) FoldStreams(bins.range, out.rows);
  size_t shown[2] = {0, 0};
  std::erase_if(out.rows, [&](const TimelineRow& row) {
    if (shown[row.is_gpu ? 0 : 1]++ < room.rows) return false;
    ++out.hidden;
    out.hidden_ns = AddSaturated(out.hidden_ns, row.busy_ns);
    out.hidden_largest_ns = std::max(out.hidden_largest_ns, row.busy_ns);
    return true;
  });
  return out;
}

MarkerTable MakeMarkerTable(const TimelineBins& bins, size_t most) {
  MarkerTable table;
  table.rows = bins.markers;
  table.shown = std::min(table.rows.size(), most);
  table.rest = RestOf(table.rows, table.shown, [](const MarkerSum& row) { return row.total_ns; });
  for (const MarkerSum& row : table.rows) {
    table.has_domains = table.has_domains || !row.domain.empty();
    table.has_cpu = table.has_cpu || row.cpu_ns > 0;
    table.has_gpu = table.has_gpu || row.gpu_operations > 0;
  }
  return table;
}

}  // namespace gprofx
