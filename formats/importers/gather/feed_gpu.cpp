// Implements the part of TraceGather that handles GPU work. It finds the process, the device and
// the call of each piece of work, and passes rows on in the order of time.
#include "formats/importers/trace_gather.h"

#include <algorithm>

#include "formats/importers/gather/repeated_ids.h"
#include "formats/importers/gather/work_owners.h"

namespace gprofx::importers {
namespace {

constexpr size_t kRowsAtOnce = size_t{1} << 16;

}  // namespace

void TraceGather::FeedMemory() {
  std::vector<TraceMemory> all;
  for (const auto& [_, memory] : memory_) all.insert(all.end(), memory.begin(), memory.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const TraceMemory& a, const TraceMemory& b) { return a.time < b.time; });
  for (const TraceMemory& memory : all) {
    MemoryEvent event;
    event.time = std::clamp<int64_t>(Moved(memory.time), 0, last_ - first_);
    event.thread = memory.thread;
    event.node = memory.node;
    event.address = memory.address;
    event.bytes = memory.bytes;
    event.source = MemorySource::kFramework;
    event.allocated = memory.allocated;
    event.reserved = memory.reserved;
    Builder(profile_.thread(memory.thread).process).AddMemory(event, memory.device);
  }
  for (auto& [_, builder] : builders_) builder.FinishMemory();
}

GpuTimelineBuilder& TraceGather::Builder(ProcessId process) {
  return builders_.try_emplace(process, timeline_, profile_, process).first->second;
}

void TraceGather::DescribeDevices() {
  // The devices that have work, by number and process. Device rows are in the same order.
  std::map<std::pair<uint32_t, ProcessId>, bool> used;
  for (const TraceWork& work : work_) used[{work.device, work.process}] = true;
  if (used.size() > GpuPlaces::kMaxDevices) {
    LeaveOut("gpus", static_cast<int64_t>(used.size() - GpuPlaces::kMaxDevices));
  }
  std::vector<uint32_t> numbers;  // by device row: number on the machine
  for (const auto& [key, _] : used) {
    const auto& [number, process] = key;
    auto found = devices_.find({process, number});
    if (found == devices_.end()) found = devices_.find({ProcessId{}, number});
    Device device{{}, number};
    if (found != devices_.end()) device = found->second;
    if (device.facts.name.empty()) device.facts.name = "unknown GPU";
    Builder(process).AddDevice(number, device.facts);
    if (profile_.gpu.devices.size() > numbers.size()) numbers.push_back(device.shown);
  }
  std::string text;
  for (const uint32_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  std::sort(numbers.begin(), numbers.end());
  const bool are_different = std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
  if (are_different && !text.empty()) profile_.meta["gpu_numbers"] = text;
}

// Returns the number of the context of `work`. Traces without contexts have context 0 on all
// devices, but a context belongs to one device. On further devices, it therefore gets another
// number.
uint32_t TraceGather::ContextOf(const TraceWork& work) {
  constexpr uint32_t kMadeUp = uint32_t{1} << 31;
  auto& numbers = contexts_[{work.process, work.context}];
  const bool is_first = numbers.empty();
  const auto [found, is_new] = numbers.try_emplace(work.device, work.context);
  if (is_new && !is_first) found->second = kMadeUp | made_up_contexts_++;
  return found->second;
}

// Finds the process of work that the trace does not assign to a process.
void TraceGather::FindOwners() {
  const auto each = [&](const auto& take) {
    for (TraceWork& work : work_) {
      if (!work.process) take(work, false);
    }
    for (TraceSync& sync : syncs_) {
      if (!sync.process) take(sync, true);
    }
  };
  if (host_processes_ <= 1) {
    each([&](auto& work, bool) { work.process = home_; });
    return;
  }
  std::vector<OwnedWork> owned;
  each([&](const auto& work, bool is_wait) {
    owned.push_back({work.correlation,
                     work.device,
                     work.start,
                     work.group,
                     work.before,
                     work.after,
                     is_wait,
                     {},
                     false});
  });
  const OwnerFacts facts{groups_, turns_ <= 2 * host_processes_, home_};
  WorkOwners(calls_.calls(), profile_, facts).Find(owned);
  int64_t guesses = 0;
  auto next = owned.cbegin();
  each([&](auto& work, bool) {
    guesses += next->is_guess ? 1 : 0;
    work.process = next++->owner;
  });
  if (guesses > 0) profile_.quality["import_guessed_processes"] = guesses;
}

// Finds the calls of work whose correlation id several threads have used.
void TraceGather::FindCalls() {
  const RepeatedIds repeated(calls_.calls(), profile_);
  if (repeated.empty()) return;
  std::vector<RepeatedWork> found;
  for (size_t i = 0; i < work_.size(); ++i) {
    const TraceWork& work = work_[i];
    if (repeated.Contains(work.process, work.correlation)) {
      found.push_back({work.correlation, work.process, work.start, i, 0});
    }
  }
  repeated.Match(found);
  for (const RepeatedWork& one : found) {
    work_[one.work].call = static_cast<uint32_t>(one.call + 1);
  }
  if (!found.empty()) profile_.quality["import_guessed_calls"] = static_cast<int64_t>(found.size());
}

void TraceGather::FeedWork(const TraceWork& work) {
  static const StackOf kNoStack = [](auto&&...) { return NodeId{}; };
  GpuTimelineBuilder& builder = Builder(work.process);
  LaunchCall* call = work.call != 0 ? calls_.At(work.call - 1)
                                    : calls_.Find(work.process, work.correlation, work.start);
  if (call != nullptr) {
    if (!call->told) {
      launch_calls_.Append(LaunchCallEvent{Moved(call->start), call->duration, call->thread});
    }
    call->told = true;
    builder.AddLaunch({work.correlation, call->thread, call->node, Moved(call->start)});
  }
  GpuWork at;
  at.correlation = work.correlation;
  at.start = Moved(work.start);
  at.end = at.start + work.duration;
  at.device = work.device;
  at.context = ContextOf(work);
  at.stream = work.stream;
  switch (work.kind) {
    case TraceWork::kKernel: {
      const auto& [name, config] = configs_[work.config];
      builder.AddKernel({at, name, config}, kNoStack);
      break;
    }
    case TraceWork::kCopy:
      builder.AddCopy({at, work.bytes, work.copy_kind, work.source, work.target}, kNoStack);
      break;
    case TraceWork::kSet:
      builder.AddSet({at, work.bytes, work.target}, kNoStack);
      break;
  }
}

// Feeds the events in the order of time, so the computation of the wall-time partition can drop old
// events.
Status TraceGather::FeedAll(const std::function<Status(const EventTable&)>& sink) {
  Status written = Ok();
  const auto take = [&] {
    timeline_.TakeEvents([&](const EventTable& rows) {
      if (written) written = sink(rows);
    });
    if (written && launch_calls_.rows() > 0) written = sink(launch_calls_);
    launch_calls_.Clear();
  };
  size_t next_wait = 0, fed = 0;
  const auto feed_waits = [&](int64_t until) {
    for (; next_wait < waits_.size() && waits_[next_wait].start <= until; ++next_wait) {
      const Wait& wait = waits_[next_wait];
      GpuCall call;
      call.thread = wait.thread;
      call.node = wait.caller;
      call.name = profile_.Text(wait.name);
      call.begin = Moved(wait.start);
      call.end = Moved(wait.end);
      call.waits = true;
      Builder(profile_.thread(wait.thread).process).AddCall(call);
    }
  };
  for (const TraceWork& work : work_) {
    feed_waits(work.start);
    FeedWork(work);
    if (++fed % kRowsAtOnce != 0) continue;
    timeline_.AdvanceWall(Moved(work.start));
    take();
    if (!written) return written;
  }
  feed_waits(INT64_MAX);
  for (const TraceSync& sync : syncs_) {
    GpuSync row;
    row.correlation = sync.correlation;
    row.start = Moved(sync.start);
    row.end = row.start + sync.duration;
    row.context = sync.context;
    row.type = sync.type;
    Builder(sync.process).AddSync(row);
  }
  take();
  return written;
}

Status TraceGather::GiveMarkers(const std::function<Status(const EventTable&)>& sink) {
  EventTable rows(Stream::kMarkers);
  for (const TraceMarker& marker : markers_) {
    rows.Append(MarkerEvent{Moved(marker.start), marker.duration, marker.thread, marker.name, {}});
    if (rows.rows() < kRowsAtOnce) continue;
    if (Status written = sink(rows); !written) return written;
    rows.Clear();
  }
  return rows.rows() == 0 ? Ok() : sink(rows);
}

}  // namespace gprofx::importers
