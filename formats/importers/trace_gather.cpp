#include "formats/importers/trace_gather.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "formats/importers/call_words.h"

namespace gprofx::importers {
namespace {

constexpr int64_t kLastTime = INT64_MAX / 2;

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
  spans_[found->second.index()].Clear();
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
  spans_[thread.index()].Add(span);
  if (const ProcessId process = profile_.thread(thread).process) NoteHostProcess(process);
}

// Notes that a host event belongs to a process. GPU work next to it in the file may belong to the
// same process.
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

// Adds an allocation or free. It does not extend the time range of the trace.
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
    return Error{ErrorId::kOtherFormat, "there is nothing to import" + WhatWasLeftOut(),
                 "record GPU work or host calls as well; gprof-x-import(1) lists what is read"};
  }
  FindHome();
  PlaceHost();
  calls_.Sort();
  FindOwners();
  FindCalls();
  const auto earlier = [](const auto& a, const auto& b) { return a.start < b.start; };
  std::sort(waits_.begin(), waits_.end(), earlier);
  if (!std::is_sorted(work_.begin(), work_.end(), earlier)) {
    std::stable_sort(work_.begin(), work_.end(), earlier);
  }
  const bool uses_gpu = !work_.empty() || !syncs_.empty();
  // If there is no GPU work, a waiting call is only a span.
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
