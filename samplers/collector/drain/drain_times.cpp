// Implements the part of ProcessDrain that decides where the time of threads is counted: the time
// of samples, the time between them, and what is left when a thread ends.
#include <algorithm>
#include <array>

#include "samplers/collector/drain/drain.h"
#include "samplers/collector/drain/drain_bounds.h"

namespace gprofx {

void ProcessDrain::Account(SlotState& state, const SampleRow& row, NodeId node) {
  profile_.AddSelf(node, state.thread, metrics_.time, row.weight);
  profile_.AddSelf(node, state.thread, metrics_.samples, 1);
  accounted_ns_ += row.weight;
  sampled_ns_ += row.weight;
  const int lock = row.state & kStateMask;
  state.python = state.python || lock != kStateNoPython;
  const MetricId metric = LockMetric(row.state);
  if (metric && IsProfiling(node)) {
    profile_.AddSelf(node, state.thread, metric, row.weight);
    return;
  }
  if (lock == kStateGilHeld) state.gil_ns += row.weight;
  if (lock == kStateGilReleased) state.no_gil_ns += row.weight;
}

MetricId ProcessDrain::LockMetric(uint8_t state) const {
  const int lock = state & kStateMask;
  return lock == kStateGilHeld       ? metrics_.gil
         : lock == kStateGilReleased ? metrics_.no_gil
                                     : MetricId{};
}

void ProcessDrain::MarkIdle(SampleRow& row) {
  row.node = profile_.Child(row.node, idle_frame_);
  row.state = static_cast<uint8_t>((row.state & ~kStateMask) | kStateIdle);
  profile_.AddSelf(row.node, row.thread, metrics_.idle, row.weight);
}

void ProcessDrain::AddTime(uint32_t slot, HostNs now, int64_t ns, bool idle,
                           std::vector<SampleRow>& rows) {
  SlotState& state = slots_[slot];
  SampleRow row;
  row.time = now;
  row.thread = state.thread;
  row.weight = Saturated(ns);
  row.node = ingest_.Node(region_, state.node);
  if (idle) MarkIdle(row);
  state.last_visit = now;
  AddWallRow(state, row, rows);
}

NodeId ProcessDrain::UnseenNode(std::string_view what, uint64_t after) {
  const NodeId node = ProcessNode(profile_, what);
  const FrameId frame = ingest_.CodeBefore(after);
  return frame ? profile_.Child(node, frame) : node;
}

void ProcessDrain::AddUnseen(uint32_t slot, HostNs now, uint64_t address,
                             std::vector<SampleRow>& rows) {
  SlotState& state = slots_[slot];
  SampleRow row;
  row.time = now;
  row.thread = state.thread;
  row.weight = Saturated(state.pending_wall_ns);
  row.node = UnseenNode(kUnseenWait, address);
  MarkIdle(row);
  AddWallRow(state, row, rows);
}

void ProcessDrain::AddWallRow(SlotState& state, SampleRow row, std::vector<SampleRow>& rows) {
  Account(state, row, row.node);
  state.pending_wall_ns = state.awaited_ns = 0;
  rows.push_back(row);
}

// Called when a thread has ended. Distributes the CPU time that its samples do not cover. If its
// samples have too much weight, takes the excess back.
void ProcessDrain::Settle(uint32_t slot, HostNs end, std::vector<SampleRow>& rows) {
  SlotState& state = slots_[slot];
  Thread& thread = profile_.threads[state.thread.index()];
  closed_clocks_ns_ += thread.cpu_ns + state.paused_ns;
  int64_t rest = thread.cpu_ns - state.accounted_ns - std::min(thread.lost_ns, kMaxCpuNs);
  if (rest > 0 && window_ != nullptr) {
    const int64_t inside = window_->PartOf(rest, state.last_sample, end);
    thread.cpu_ns -= rest - inside;
    rest = inside;
  }
  const ThreadId id = state.thread;
  if (state.recent.empty()) {
    if (rest <= 0) return;
    if (rest > kMaxTooShort) {
      AddRest(id, ProcessNode(profile_, kNoTickCame), rest, end, rows);
    } else if (short_threads_ != nullptr) {
      short_threads_->Wait(SortOf(id), id, rest, end);
    } else {
      AddRest(id, ProcessNode(profile_, kTooShort), rest, end, rows);
    }
    return;
  }
  if (state.tid == pid_) main_node_ = state.recent.last();
  if (rest < 0) {
    size_t asked = 0;
    rest += TakeBack(id, -rest, rows, &asked);
    if (rest < 0) state.recent.Empty(asked);  // the rows were all emptied, and more is to be taken
  }
  for (const auto& [node, ns] : state.recent.Spread(rest)) AddRest(id, node, ns, end, rows);
  if (short_threads_ == nullptr) return;
  for (const ShortThreads::Time& time : short_threads_->Meet(SortOf(id), state.recent.last())) {
    AddRest(time.thread, time.node, time.ns, time.end, rows);
  }
}

// Takes `ns` back from the samples of a thread that have too much weight in total. Takes it from
// those that are not written yet, in proportion to their weights; the timeline and the tree then
// agree. Returns how much was taken; the caller can take the rest only from the tree. Sets *asked
// to the number of the newest samples that were considered.
int64_t ProcessDrain::TakeBack(ThreadId thread, int64_t ns, std::vector<SampleRow>& rows,
                               size_t* asked) {
  constexpr size_t kMax = 16;  // as many samples as RecentSamples holds
  std::array<SampleRow*, kMax> latest;
  size_t count = 0;
  int64_t total = 0;
  for (auto row = rows.rbegin(); row != rows.rend() && count < kMax; ++row) {
    if (row->thread != thread) continue;
    latest[count++] = &*row;
    total += row->weight;
  }
  *asked = count;
  ns = std::min(ns, total);
  int64_t weight = 0, taken = 0;
  for (size_t i = 0; i < count && ns > 0; ++i) {
    SampleRow& row = *latest[i];
    weight += row.weight;
    const auto until = static_cast<int64_t>(static_cast<__int128>(ns) * weight / total);
    const int64_t part = until - taken;
    taken = until;
    row.weight -= static_cast<uint32_t>(part);
    profile_.AddSelf(row.node, thread, metrics_.time, -part);
    const NodeId lock = IsProfiling(row.node) ? row.node : profile_.root();
    if (const MetricId metric = LockMetric(row.state))
      profile_.AddSelf(lock, thread, metric, -part);
  }
  accounted_ns_ -= taken;
  return taken;
}

ThreadSort ProcessDrain::SortOf(ThreadId id) const {
  const Thread& thread = profile_.thread(id);
  return {profile_.process(process_).name, thread.tid == pid_, region_.header().forked != 0};
}

// Returns the thread of a kernel worker. Adds it to the profile if it is new. Such a thread started
// at the latest when it began to use the processor.
ThreadId ProcessDrain::ThreadOfWorker(const KernelWorkers::Use& use, HostNs now) {
  ThreadId& id = worker_threads_[use.tid];
  if (id && use.name.empty()) return id;
  Thread thread;
  thread.process = process_;
  thread.tid = use.tid;
  thread.name = profile_.Intern(use.name);
  thread.start = std::max(now - use.cpu_ns, profile_.process(process_).start);
  thread.end = thread.start;
  profile_.threads.push_back(thread);
  return id = ThreadId{static_cast<uint32_t>(profile_.threads.size())};
}

void ProcessDrain::TakeWorker(const KernelWorkers::Use& use, HostNs now) {
  const ThreadId id = ThreadOfWorker(use, now);
  Thread& thread = profile_.threads[id.index()];
  const HostNs before = std::exchange(thread.end, now);
  const int64_t ns = window_ == nullptr ? use.cpu_ns : window_->PartOf(use.cpu_ns, before, now);
  closed_clocks_ns_ += use.cpu_ns;
  thread.cpu_ns += ns;
  const NodeId node = ProcessNode(profile_, kUringWorker);
  AddRest(id, node, ns, now, worker_rows_);
  if (!wall_clock_ || now - before <= ns) return;
  SampleRow row{.time = now, .thread = id, .node = node, .weight = Saturated(now - before - ns)};
  MarkIdle(row);
  AddRest(id, row.node, row.weight, now, worker_rows_);
}

void ProcessDrain::MoveWorkerRows(std::vector<SampleRow>& rows) {
  rows.insert(rows.end(), worker_rows_.begin(), worker_rows_.end());
  worker_rows_.clear();
}

void ProcessDrain::AddRest(ThreadId thread, NodeId node, int64_t ns, HostNs end,
                           std::vector<SampleRow>& rows) {
  profile_.AddSelf(node, thread, metrics_.time, ns);
  accounted_ns_ += ns;
  if (ns <= 0) return;
  SampleRow row;
  row.time = window_ != nullptr ? window_->Within(end) : end;
  row.thread = thread;
  row.node = node;
  row.weight = Saturated(ns);
  row.state = kStateRest;
  rows.push_back(row);
}

}  // namespace gprofx
