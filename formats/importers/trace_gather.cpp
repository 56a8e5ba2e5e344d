#include "formats/importers/trace_gather.h"

#include <algorithm>
#include <tuple>

#include "core/base/arithmetic.h"
#include "formats/importers/call_words.h"
#include "formats/importers/gather/work_owners.h"

namespace gprofx::importers {
namespace {

constexpr size_t kRowsAtOnce = size_t{1} << 16;
constexpr int64_t kLastTime = INT64_MAX / 2;
// Work that begins at time 0 has no known time, unless the trace itself begins there.
constexpr int64_t kMaxFromZero = 1'000'000'000;

}  // namespace

ProcessId TraceGather::Process(int64_t pid) {
  ProcessId& process = processes_[pid];
  if (!process) {
    gprofx::Process row;
    row.pid = pid;
    profile_.processes.push_back(row);
    process = ProcessId{static_cast<uint32_t>(profile_.processes.size())};
  }
  return process;
}

ThreadId TraceGather::AddThread(ProcessId process, int64_t tid) {
  gprofx::Thread row;
  row.process = process;
  row.tid = tid;
  profile_.threads.push_back(row);
  spans_.emplace_back();
  return ThreadId{static_cast<uint32_t>(profile_.threads.size())};
}

ThreadId TraceGather::Thread(int64_t pid, int64_t tid) {
  const auto found = threads_.find({pid, tid});
  if (found != threads_.end()) return found->second;
  if (threads_.size() >= kMaxThreads) {
    LeaveOut("names_of_threads");
    return threads_.begin()->second;
  }
  return threads_[{pid, tid}] = AddThread(Process(pid), tid);
}

ThreadId TraceGather::OrphanThread(int64_t tid) {
  const auto found = orphans_.find(tid);
  if (found != orphans_.end()) return found->second;
  if (orphans_.size() >= kMaxThreads) {
    LeaveOut("names_of_threads");
    return orphans_.begin()->second;
  }
  return orphans_[tid] = AddThread({}, tid);
}

void TraceGather::NameKnownProcess(int64_t pid, std::string_view name) {
  const auto found = processes_.find(pid);
  if (found != processes_.end()) {
    profile_.processes[found->second.index()].name = profile_.Intern(name);
  }
}

void TraceGather::NameKnownThread(int64_t pid, int64_t tid, std::string_view name) {
  const auto found = threads_.find({pid, tid});
  if (found != threads_.end()) {
    profile_.threads[found->second.index()].name = profile_.Intern(name);
  }
}

void TraceGather::DescribeProcess(int64_t pid, std::string_view word) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  gprofx::Process& row = profile_.processes[found->second.index()];
  const IdWord parsed = ParseIdWord(word);
  row.name = profile_.Intern(word);
  row.pid = parsed.number;
  groups_[found->second] = profile_.Intern(parsed.label);
}

void TraceGather::DescribeThread(int64_t pid, int64_t tid, std::string_view word) {
  const auto found = threads_.find({pid, tid});
  if (found == threads_.end()) return;
  gprofx::Thread& row = profile_.threads[found->second.index()];
  row.name = profile_.Intern(word);
  row.tid = ParseIdWord(word).number;
}

bool TraceGather::DropThread(int64_t pid, int64_t tid) {
  const auto found = threads_.find({pid, tid});
  if (found == threads_.end()) return false;
  spans_[found->second.index()].clear();
  return true;
}

FrameId TraceGather::Frame(FrameKind kind, std::string_view name, std::string_view file,
                           uint32_t line) {
  Function function;
  function.name = profile_.Intern(name);
  function.file = profile_.Intern(file);
  function.first_line = line;
  gprofx::Frame frame;
  frame.kind = kind;
  frame.function = profile_.Intern(function);
  return profile_.Intern(frame);
}

bool TraceGather::CheckTime(int64_t start, int64_t duration) {
  const bool is_time = start >= 0 && duration >= 0 && start <= kLastTime;
  if (!is_time) LeaveOut("events_without_a_time");
  const bool is_possible = duration <= UsualTimes::kLongest;
  if (is_time && !is_possible) LeaveOut("events_at_impossible_times");
  return is_time && is_possible;
}

void TraceGather::AddHost(ThreadId thread, const HostSpan& span) {
  if (!CheckTime(span.start, span.duration)) return;
  spans_[thread.index()].push_back(span);
  if (const ProcessId process = profile_.thread(thread).process) NoteHostProcess(process);
}

// Host events before and after GPU work in the file may tell whose work it is.
void TraceGather::NoteHostProcess(ProcessId process) {
  for (; followed_work_ < work_.size(); ++followed_work_) work_[followed_work_].after = process;
  for (; followed_syncs_ < syncs_.size(); ++followed_syncs_) {
    syncs_[followed_syncs_].after = process;
  }
  turns_ += process != latest_ ? 1 : 0;
  latest_ = process;
}

uint32_t TraceGather::AddConfig(std::string_view kernel, const GpuKernelConfig& config) {
  const auto [named, is_new] = kernels_.try_emplace(std::string(kernel));
  if (is_new) named->second = timeline_.NameKernel(kernel);
  GpuKernelConfig whole = config;
  whole.function = named->second.function;
  const auto [found, added] =
      config_index_.try_emplace(whole, static_cast<uint32_t>(configs_.size()));
  if (added) configs_.emplace_back(named->second, whole);
  return found->second;
}

void TraceGather::AddWork(const TraceWork& work) {
  if (!CheckTime(work.start, work.duration)) return;
  work_.push_back(work);
  work_.back().before = latest_;
}

void TraceGather::AddSync(const TraceSync& sync) {
  if (!CheckTime(sync.start, sync.duration)) return;
  syncs_.push_back(sync);
  syncs_.back().before = latest_;
}

// Does not extend the time range of the trace, which covers only what ran.
void TraceGather::AddMemory(const TraceMemory& memory) {
  if (memory.time < 0 || memory.time > kLastTime) return LeaveOut("events_without_a_time");
  memory_[memory.thread].push_back(memory);
}

void TraceGather::AddMarker(const TraceMarker& marker) {
  if (CheckTime(marker.start, marker.duration)) markers_.push_back(marker);
}

void TraceGather::AddDevice(ProcessId process, uint32_t number, const GpuDeviceFacts& facts,
                            uint32_t shown) {
  if (devices_.size() >= GpuPlaces::kMaxDevices) return LeaveOut("facts_of_gpus");
  devices_[{process, number}] = {facts, shown};
}

void TraceGather::LeaveOut(const std::string& what, int64_t count) {
  if (count != 0) profile_.quality["import_left_out_" + what] += count;
}

uint32_t TraceGather::AddWorkOf(const OperatorWork& work) {
  const auto next = static_cast<uint32_t>(operator_work_.size() + 1);
  const auto [found, is_new] = operator_work_index_.try_emplace({work.flop, work.bytes}, next);
  if (is_new) operator_work_.push_back(work);
  return found->second;
}

// Places thread by thread; the spans of a thread are freed as soon as they are placed.
void TraceGather::PlaceHost() {
  const bool any = std::any_of(spans_.begin(), spans_.end(),
                               [](const std::deque<HostSpan>& spans) { return !spans.empty(); });
  if (!any) return;
  const MetricId metric = profile_.AddMetric(kMetricHost, "ns", MetricKind::kExact);
  profile_.meta["clock"] = kMetricHost;
  CutSpans cut;
  MetricId flop, bytes;
  if (!operator_work_.empty()) {
    flop = profile_.AddMetric(kMetricOperatorFlop, "count", MetricKind::kExact);
    bytes = profile_.AddMetric(kMetricOperatorBytes, "bytes", MetricKind::kExact);
  }
  backwards_.Join(spans_);
  for (const size_t i : backwards_.ThreadOrder(spans_)) {
    std::deque<HostSpan>& spans = spans_[i];
    if (spans.empty()) continue;
    const ThreadId thread{static_cast<uint32_t>(i + 1)};
    backwards_.BeginThread();
    const auto caller_of = [&](const HostSpan& span, NodeId caller) {
      return backwards_.CallerOf(thread, span, caller);
    };
    const ProcessId process = profile_.thread(thread).process;
    const auto memory = memory_.find(thread);
    here_.clear();
    int64_t last = 0, waits_until = INT64_MIN;
    const auto placed = [&](const HostSpan& span, NodeId caller, NodeId own, int64_t end) {
      last = std::max(last, end);
      if (memory != memory_.end()) here_.push_back({span.start, end, own});
      if (span.correlation != 0) {
        calls_.Add({span.correlation, process, thread, own, span.start, span.duration});
      }
      if (span.work != 0) {
        profile_.AddSelf(own, thread, flop, operator_work_[span.work - 1].flop);
        profile_.AddSelf(own, thread, bytes, operator_work_[span.work - 1].bytes);
      }
      backwards_.Add(thread, span, own);
      const gprofx::Frame& frame = profile_.frame(span.frame);
      // A call of the runtime waits in a call of the driver: one wait, and the outer one has it
      // all.
      if (frame.kind == FrameKind::kCudaApi && end > waits_until) {
        waits_until = end;
        waits_.push_back({span.start, end, thread, caller, profile_.function(frame.function).name});
      }
    };
    const CutSpans cut_here =
        PlaceSpans(spans, thread, metric, GpuTimeline::kMaxNodes, profile_, caller_of, placed);
    if (memory != memory_.end()) PlaceMemory(memory->second);
    cut.spans += cut_here.spans;
    cut.without_node += cut_here.without_node;
    cut.unfollowed += cut_here.unfollowed;
    cut.ns = AddSaturated(cut.ns, cut_here.ns);
    profile_.threads[i].start = Moved(spans.front().start);
    profile_.threads[i].end = Moved(last);
    std::deque<HostSpan>().swap(spans);
  }
  DescribeCuts(cut);
}

void TraceGather::DescribeCuts(const CutSpans& cut) {
  if (cut.spans > 0) profile_.quality["import_cut_spans"] = cut.spans;
  if (cut.spans > 0) profile_.quality["import_cut_ns"] = cut.ns;
  LeaveOut("call_paths_of_spans", cut.without_node);
  LeaveOut("overlaps_of_ranges", cut.unfollowed);
  LeaveOut("forward_paths_of_backward_work", backwards_.without_path());
}

// Places memory events below the innermost span of their thread.
void TraceGather::PlaceMemory(std::vector<TraceMemory>& memory) {
  const auto outer_first = [](const Placed& a, const Placed& b) {
    return a.start != b.start ? a.start < b.start
           : a.end != b.end   ? a.end > b.end
                              : a.node < b.node;
  };
  std::sort(here_.begin(), here_.end(), outer_first);
  std::stable_sort(memory.begin(), memory.end(),
                   [](const TraceMemory& a, const TraceMemory& b) { return a.time < b.time; });
  std::vector<const Placed*> open;
  size_t next = 0;
  for (TraceMemory& event : memory) {
    for (; next < here_.size() && here_[next].start <= event.time; ++next) {
      while (!open.empty() && open.back()->end <= here_[next].start) open.pop_back();
      open.push_back(&here_[next]);
    }
    while (!open.empty() && open.back()->end <= event.time) open.pop_back();
    if (!open.empty()) event.node = open.back()->node;
  }
}

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

// Finds the process for events that the trace assigns to none.
void TraceGather::FindHome() {
  std::map<ProcessId, size_t> spans;
  for (size_t i = 0; i < spans_.size(); ++i) {
    if (!spans_[i].empty()) spans[profile_.threads[i].process] += spans_[i].size();
  }
  spans.erase(ProcessId{});
  host_processes_ = static_cast<int64_t>(spans.size());
  const auto most = std::max_element(
      spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  home_ = most != spans.end()          ? most->first
          : profile_.processes.empty() ? Process(0)
                                       : ProcessId{1};
  for (const auto& [_, thread] : orphans_) profile_.threads[thread.index()].process = home_;
}

GpuTimelineBuilder& TraceGather::Builder(ProcessId process) {
  return builders_.try_emplace(process, timeline_, profile_, process).first->second;
}

void TraceGather::DescribeDevices() {
  std::map<std::pair<uint32_t, ProcessId>, bool> used;  // by number, as the rows
  for (const TraceWork& work : work_) used[{work.device, work.process}] = true;
  if (used.size() > GpuPlaces::kMaxDevices) {
    LeaveOut("gpus", static_cast<int64_t>(used.size() - GpuPlaces::kMaxDevices));
  }
  std::vector<uint32_t> numbers;  // of the rows, on the machine
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

// Returns the number of a context. Traces that do not tell contexts have number 0 for all devices,
// but a context belongs to one: others get numbers of their own.
uint32_t TraceGather::ContextOf(const TraceWork& work) {
  constexpr uint32_t kMadeUp = uint32_t{1} << 31;
  auto& numbers = contexts_[{work.process, work.context}];
  const bool is_first = numbers.empty();
  const auto [found, is_new] = numbers.try_emplace(work.device, work.context);
  if (is_new && !is_first) found->second = kMadeUp | made_up_contexts_++;
  return found->second;
}

// The process of work whose trace does not name it.
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

void TraceGather::FeedWork(const TraceWork& work) {
  static const StackOf kNoStack = [](auto&&...) { return NodeId{}; };
  GpuTimelineBuilder& builder = Builder(work.process);
  if (LaunchCall* call = calls_.Find(work.process, work.correlation, work.start)) {
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

// Feeds events in order of time, so that the wall-time partition can discard the past.
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

void TraceGather::Describe() {
  profile_.meta["duration_ns"] = std::to_string(last_ - first_);
  if (realtime_of_zero_) {
    profile_.meta["start_realtime_ns"] = std::to_string(AddSaturated(*realtime_of_zero_, first_));
  }
  if (!markers_.empty()) {
    profile_.quality["import_markers"] = static_cast<int64_t>(markers_.size());
  }
  if (timeline_.unlaunched() > 0) profile_.quality["import_unlinked"] = timeline_.unlaunched();
}

// Time 0 may be a time that the driver did not know. Memory events count only if there is nothing
// else: the trace covers what ran.
void TraceGather::FindUsualTimes() {
  const auto add = [&](TimeKind kind, const auto& event) {
    usual_.Add(kind, event.start, event.start + event.duration);
  };
  for (const auto& spans : spans_) {
    for (const HostSpan& span : spans) add(TimeKind::kSpan, span);
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

// Leaves out the few events whose times cannot be right.
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
    for (auto& spans : spans_) far += static_cast<int64_t>(std::erase_if(spans, is_far));
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
  // Work at time 0 that is left: the trace begins there.
  const auto extend = [&](const auto& work) {
    if (work.start == 0) first_ = 0;
    last_ = std::max(last_, work.start + work.duration);
  };
  std::for_each(work_.begin(), work_.end(), extend);
  std::for_each(syncs_.begin(), syncs_.end(), extend);
  return Ok();
}

// Some rows show an operation and, within its time, those that it consists of. Only the innermost
// count, as otherwise their time would count twice.
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

bool TraceGather::IsEmpty() const {
  return work_.empty() && syncs_.empty() && markers_.empty() && memory_.empty() &&
         std::all_of(spans_.begin(), spans_.end(), [](const auto& spans) { return spans.empty(); });
}

std::string TraceGather::WhatWasLeftOut() const {
  constexpr std::string_view kLeftOut = "import_left_out_";
  std::string text;
  for (const auto& [name, count] : profile_.quality) {
    if (!name.starts_with(kLeftOut)) continue;
    text +=
        (text.empty() ? ": " : ", ") + std::to_string(count) + " " + name.substr(kLeftOut.size());
  }
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

Status TraceGather::Finish(const std::function<Status(const EventTable&)>& sink) {
  LeaveOutEnclosingWork();
  if (Status settled = LeaveOutFarTimes(); !settled) return settled;
  if (IsEmpty()) {
    return Error{"nothing in it can be imported" + WhatWasLeftOut(),
                 "gprof-x-import(1) lists what is read; record GPU work or host calls as well"};
  }
  FindHome();
  PlaceHost();
  calls_.Sort();
  FindOwners();
  const auto earlier = [](const auto& a, const auto& b) { return a.start < b.start; };
  std::sort(waits_.begin(), waits_.end(), earlier);
  if (!std::is_sorted(work_.begin(), work_.end(), earlier)) {
    std::stable_sort(work_.begin(), work_.end(), earlier);
  }
  const bool uses_gpu = !work_.empty() || !syncs_.empty();
  // Without GPU work, a waiting call is only a span.
  if (uses_gpu || !memory_.empty()) {
    DescribeDevices();
    FeedMemory();
    if (!uses_gpu) waits_.clear();
    if (Status fed = FeedAll(sink); !fed) return fed;
    if (uses_gpu) timeline_.FinishWall(last_ - first_);
  }
  Describe();
  return GiveMarkers(sink);
}

}  // namespace gprofx::importers
