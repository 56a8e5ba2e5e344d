// Implements the part of TraceGather that leaves out events because of their times. These are
// events far from all others, and work that encloses other work.
#include "formats/importers/trace_gather.h"

#include <algorithm>
#include <tuple>

namespace gprofx::importers {
namespace {

// If the trace begins more than this many ns after 0, the time of work that begins at 0 is unknown.
constexpr int64_t kMaxFromZero = 1'000'000'000;

}  // namespace

// Adds the times of the events to usual_. GPU work at time 0 is not added, because the driver may
// not have known its time. Memory events are added only if there is nothing else, because they do
// not extend the time range of the trace.
void TraceGather::FindUsualTimes() {
  const auto add = [&](TimeKind kind, const auto& event) {
    usual_.Add(kind, event.start, event.start + event.duration);
  };
  for (const auto& spans : spans_) {
    spans.ForEach([&](const HostSpan& span) { add(TimeKind::kSpan, span); });
  }
  for (const TraceWork& work : work_) {
    if (work.start != 0) add(TimeKind::kWork, work);
  }
  for (const TraceSync& sync : syncs_) {
    if (sync.start != 0) add(TimeKind::kWait, sync);
  }
  for (const TraceMarker& marker : markers_) add(TimeKind::kMarker, marker);
  if (!usual_.has_any() && work_.empty() && syncs_.empty()) {
    for (const auto& [_, memory] : memory_) {
      for (const TraceMemory& event : memory) {
        usual_.Add(TimeKind::kMemory, event.time, event.time);
      }
    }
  }
}

// Leaves out the few events whose times cannot be right. Returns an error if there are too many.
Status TraceGather::LeaveOutFarTimes() {
  FindUsualTimes();
  if (Status found = usual_.Finish(); !found) return found;
  if (!usual_.empty()) {
    first_ = usual_.first();
    last_ = usual_.last();
  }
  int64_t far = 0, unknown = 0;
  const auto is_far = [&](const auto& event) { return !usual_.Holds(event.start); };
  const auto is_unknown = [&](const auto& work) {
    return work.start == 0 &&
           (work.duration == 0 ? first_ > 0 || usual_.empty() : first_ > kMaxFromZero);
  };
  unknown += static_cast<int64_t>(std::erase_if(work_, is_unknown));
  unknown += static_cast<int64_t>(std::erase_if(syncs_, is_unknown));
  if (!usual_.all()) {
    for (SpanStore& spans : spans_) far += spans.RemoveIf(is_far);
    const auto is_far_work = [&](const auto& work) { return work.start != 0 && is_far(work); };
    far += static_cast<int64_t>(std::erase_if(work_, is_far_work));
    far += static_cast<int64_t>(std::erase_if(syncs_, is_far_work));
    far += static_cast<int64_t>(std::erase_if(markers_, is_far));
  }
  const auto is_memory_far = [&](const TraceMemory& event) { return usual_.IsFar(event.time); };
  for (auto& [_, memory] : memory_) {
    far += static_cast<int64_t>(std::erase_if(memory, is_memory_far));
  }
  LeaveOut("events_without_a_time", unknown);
  LeaveOut("events_at_impossible_times", far);
  // If there still is work at time 0, the trace begins at time 0.
  const auto extend = [&](const auto& work) {
    if (work.start == 0) first_ = 0;
    last_ = std::max(last_, work.start + work.duration);
  };
  std::for_each(work_.begin(), work_.end(), extend);
  std::for_each(syncs_.begin(), syncs_.end(), extend);
  return Ok();
}

// Leaves out work that encloses other work in its row, because that time would count twice. Some
// rows show an operation together with the operations of which it consists.
void TraceGather::LeaveOutEnclosingWork() {
  std::vector<TraceWork*> order;
  for (TraceWork& work : work_) {
    if (work.row != 0 && work.duration > 0) order.push_back(&work);
  }
  std::stable_sort(order.begin(), order.end(), [](const TraceWork* a, const TraceWork* b) {
    return std::tie(a->row, a->start, b->duration) < std::tie(b->row, b->start, a->duration);
  });
  std::vector<TraceWork*> open;
  for (TraceWork* work : order) {
    const auto has_ended = [&](const TraceWork* other) {
      return other->row != work->row || other->start + other->duration <= work->start;
    };
    while (!open.empty() && has_ended(open.back())) open.pop_back();
    const bool is_within =
        !open.empty() && open.back()->start + open.back()->duration >= work->start + work->duration;
    if (is_within && open.back()->may_enclose) open.back()->encloses = true;
    open.push_back(work);
  }
  const auto encloses = [](const TraceWork& work) { return work.encloses; };
  LeaveOut("operations_around_others", static_cast<int64_t>(std::erase_if(work_, encloses)));
}

}  // namespace gprofx::importers
