#include "core/views/timeline.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/arithmetic.h"
#include "core/views/wall.h"

namespace gprofx {
namespace {

std::vector<int> Percent(const TimelineBins& bins, const TimelineBins::Row& row) {
  const double length = static_cast<double>(bins.range.end - bins.range.begin) /
                        static_cast<double>(std::max<size_t>(bins.bins, 1));
  std::vector<int> percent;
  for (const int64_t ns : row.bins) {
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
  row.percent = Percent(bins, from);
  row.is_known = from.stream || from.thread;
  if (from.stream) {
    const GpuStreamRow& stream = profile.gpu.streams[from.stream.index()];
    row.stream = stream.number;
    if (stream.context) {
      const GpuContext& context = profile.gpu.contexts[stream.context.index()];
      if (context.device) row.gpu = numbers[context.device.index()];
      if (context.process) row.pid = profile.process(context.process).pid;
    }
  }
  if (from.thread) {
    const Thread& thread = profile.thread(from.thread);
    row.name = profile.Text(thread.name);
    row.tid = thread.tid;
    row.pid = thread.process ? profile.process(thread.process).pid : 0;
  }
  return row;
}

}  // namespace

Timeline MakeTimeline(const Profile& profile, const TimelineBins& bins, size_t most) {
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
  out.many_processes = users.size() > 1;
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const TimelineRow& a, const TimelineRow& b) {
    const auto key = [](const TimelineRow& row) {
      return row.is_gpu ? std::tuple(0, int64_t{row.gpu}, row.pid, int64_t{row.stream})
                        : std::tuple(1, -row.busy_ns, row.pid, row.tid);
    };
    return key(a) < key(b);
  });
  size_t shown[2] = {0, 0};
  std::erase_if(out.rows, [&](const TimelineRow& row) {
    if (shown[row.is_gpu ? 0 : 1]++ < most) return false;
    ++out.hidden;
    out.hidden_ns = AddSaturated(out.hidden_ns, row.busy_ns);
    out.hidden_largest_ns = std::max(out.hidden_largest_ns, row.busy_ns);
    return true;
  });
  return out;
}

}  // namespace gprofx
