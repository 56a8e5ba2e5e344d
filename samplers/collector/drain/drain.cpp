#include "samplers/collector/drain/drain.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "core/base/held_bytes.h"
#include "samplers/collector/drain/drain_bounds.h"
#include "samplers/collector/drain/wait_place.h"
#include "samplers/collector/processes/patient_read.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/collector/session.h"

namespace gprofx {
namespace {

constexpr HostNs kEnded = 500'000'000;  // a thread that no check found for this long has ended
constexpr HostNs kLookShare = 100;      // checks for new threads take at most 1/100 of the time
constexpr uint32_t kMaxOpened = 512;    // threads opened in one Drain; later Drains open the others

std::string MapsFor(ProcessDrain::Ask ask, int64_t pid) {
  if (ask == ProcessDrain::Ask::kNothing) return "";
  if (ask == ProcessDrain::Ask::kAll) return MapsOf(pid);
  constexpr size_t kMax = size_t{16} << 20;
  return ReadWithPatience("/proc/" + std::to_string(pid) + "/maps", kMax).value_or("");
}

ProcessIngest::LookAtFile LookAtFiles(ProcessDrain::Ask ask, int64_t pid) {
  if (ask != ProcessDrain::Ask::kAll) return {};
  return [pid](const std::string& path) { return StateOfFileIn(pid, path); };
}

std::string RingName(const wire::ThreadRing& ring) {
  return {ring.name, strnlen(ring.name, sizeof ring.name)};
}

}  // namespace

Metrics AddMetrics(Profile& profile, bool wall_clock) {
  Metrics metrics;
  metrics.time = profile.AddMetric(wall_clock ? "wall" : "cpu", "ns", MetricKind::kSampled);
  if (wall_clock) metrics.idle = profile.AddMetric("idle", "ns", MetricKind::kSampled);
  metrics.samples = profile.AddMetric("samples", "count", MetricKind::kSampled);
  if (!wall_clock) {
    metrics.gil = profile.AddMetric("cpu_gil", "ns", MetricKind::kSampled);
    metrics.no_gil = profile.AddMetric("cpu_nogil", "ns", MetricKind::kSampled);
  }
  return metrics;
}

ProcessDrain::ProcessDrain(Profile& profile, ModuleTable& modules, const Metrics& metrics,
                           Region region, ProcessId process, bool wall_clock, GpuRun* gpu, Ask ask)
    : profile_(profile),
      metrics_(metrics),
      region_(std::move(region)),
      process_(process),
      ingest_(
          profile, modules, process,
          [ask, pid = profile.process(process).pid] { return MapsFor(ask, pid); },
          LookAtFiles(ask, profile.process(process).pid)),
      wall_clock_(wall_clock),
      pid_(profile.process(process).pid),
      own_pid_(region_.header().pid),
      may_ask_(ask != Ask::kNothing),
      workers_(region_.header().late == 0) {
  if (gpu != nullptr) gpu_ = std::make_unique<GpuIngest>(profile, *gpu, process);
  if (wall_clock) {
    Frame idle;
    idle.kind = FrameKind::kIdle;
    idle_frame_ = profile.Intern(idle);
  }
}

size_t ProcessDrain::Drain(HostNs now, std::vector<SampleRow>& rows, const ClosePerf& close_perf,
                           size_t most) {
  entries_left_ = most;
  threads_left_ = kMaxOpened;
  host_tids_.reset();
  entries_read_ = threads_ended_ = 0;
  has_more_ = false;
  wire::GpuHeader* header = gpu_ ? region_.Gpu() : nullptr;
  const wire::MarkerHeader* marks = markers_ ? region_.Markers() : nullptr;
  const uint64_t marks_head = marks != nullptr ? MarkerStreamReader::Head(*marks) : 0;
  const wire::MemoryHeader* memory = gpu_ ? region_.Memory() : nullptr;
  const uint64_t memory_head = memory != nullptr ? MemoryRingReader::Head(*memory) : 0;
  // Read the head of the GPU stream after that of the memory ring. The stream then contains the
  // contexts of all allocations that are read below.
  const uint64_t head = header != nullptr ? GpuStreamReader::Head(*header) : 0;
  const size_t count = DrainRings(now, rows, close_perf);
  AskForThread(now);
  if (now >= next_look_) {
    next_look_ = now + UnseenThreads::kLookEvery;
    if (MayHaveUnseenThreads()) CompareThreads(now);
  }
  MoveWorkerRows(rows);
  // Records of the streams may refer to ring entries. Read them only when no entries are left to
  // read.
  if (!has_more_) {
    if (header != nullptr) ReadGpu(head, now);
    if (memory_head != 0) ReadMemory(memory_head, now);
    if (marks_head != 0) ReadMarkers(marks_head, now);
  }
  if (raw_ != nullptr) raw_->Add(RawKind::kDrain, process_.value, static_cast<uint64_t>(now), {});
  return count;
}

size_t ProcessDrain::DrainRings(HostNs now, std::vector<SampleRow>& rows,
                                const ClosePerf& close_perf) {
  size_t count = 0;
  const uint32_t used = region_.SlotsUsed();
  if (slots_.size() < used) slots_.resize(used);
  if (first_slot_ >= used) first_slot_ = 0;
  const uint32_t first = first_slot_;
  for (uint32_t i = 0; i < used; ++i) {
    const uint32_t slot = (first + i) % used;
    wire::ThreadRing* ring = region_.Ring(slot);
    if (ring == nullptr) continue;
    if (entries_left_ == 0) {  // the next Drain starts here
      if (!has_more_) first_slot_ = slot;
      has_more_ = true;
      break;
    }
    const uint32_t state = ring->state.load(std::memory_order_acquire);
    if (state != wire::kThreadActive && state != wire::kThreadEnded) continue;
    const uint32_t generation = ring->generation.load(std::memory_order_acquire);
    SlotState& known = slots_[slot];
    if (!known.thread || known.generation != generation) {
      // The agent has taken the slot but has not filled in its thread yet.
      if (generation == 0 || ring->tid == 0) continue;
      if (threads_left_ == 0) {
        if (!has_more_) first_slot_ = slot;
        has_more_ = true;
        continue;
      }
      --threads_left_;
      if (known.thread) {
        const uint32_t old = known.generation;
        CloseThread(slot, *ring, now, rows);
        close_perf(slot, old);
      }
      OpenThread(slot, *ring, now);
    }
    const bool had_more = std::exchange(has_more_, false);
    count += DrainRing(slot, *ring, now, rows);
    if (state == wire::kThreadEnded && !has_more_) {
      EndThread(slot, *ring, now, rows);
      close_perf(slot, generation);
    } else {
      UpdateTimes(slot, *ring);
      // The agent asks for its perf event to be closed. Try again in each Drain, because the event
      // may arrive later than this flag.
      uint32_t unwanted = wire::kPerfUnwanted;
      if (ring->perf.load(std::memory_order_acquire) == unwanted && close_perf(slot, generation)) {
        ring->perf.compare_exchange_strong(unwanted, wire::kPerfClosed);
      }
    }
    if (has_more_ && !had_more) first_slot_ = slot;
    has_more_ = has_more_ || had_more;
  }
  return count;
}

void ProcessDrain::EndThread(uint32_t slot, wire::ThreadRing& ring, HostNs now,
                             std::vector<SampleRow>& rows) {
  ++threads_ended_;
  RecordThread(slot, ring);
  const int64_t end = ring.end_ns.load(std::memory_order_relaxed);
  CloseThread(slot, ring, std::clamp<int64_t>(end, 0, now), rows);
  // Clear the slot for its next thread. While its state is kThreadEnded, it belongs to the
  // collector.
  ring.dropped.store(0, std::memory_order_relaxed);
  ring.dropped_ns.store(0, std::memory_order_relaxed);
  ring.paused_ns.store(0, std::memory_order_relaxed);
  ring.end_ns.store(0, std::memory_order_relaxed);
  ring.last_node.store(0, std::memory_order_relaxed);
  ring.perf.store(wire::kPerfNone, std::memory_order_relaxed);
  ring.state.store(wire::kThreadFree, std::memory_order_release);
}

void ProcessDrain::Close(HostNs end, std::vector<SampleRow>& rows, const ClosePerf& close_perf) {
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
    wire::ThreadRing* ring = region_.Ring(slot);
    if (ring == nullptr || !slots_[slot].thread) continue;
    const uint32_t generation = slots_[slot].generation;
    CloseThread(slot, *ring, end, rows);
    close_perf(slot, generation);
  }
  if (gpu_) {
    CloseMemory();
    gpu_->Finish(end, GpuLaunches());
  }
  CloseMarkers(end);
  MoveWorkerRows(rows);
  if (raw_ != nullptr) raw_->AddRegion(process_.value, region_);
}

void ProcessDrain::FinishCopy(HostNs end) {
  if (gpu_) gpu_->Finish(end, GpuLaunches());
  CloseMarkers(end);
}

int64_t ProcessDrain::GpuLaunches() {
  const wire::GpuHeader* header = region_.Gpu();
  return header == nullptr ? 0 : static_cast<int64_t>(wire::LaunchesOf(*header) & INT64_MAX);
}

size_t ProcessDrain::bytes() const {
  return sizeof(*this) + HeldBytes(slots_) + ingest_.bytes() + (gpu_ ? gpu_->bytes() : 0) +
         (markers_ ? markers_->bytes() : 0);
}

void ProcessDrain::OpenThread(uint32_t slot, const wire::ThreadRing& ring, HostNs now) {
  SlotState& state = slots_[slot];
  state = SlotState{};
  state.generation = ring.generation.load(std::memory_order_acquire);
  state.tid = HostTid(ring.tid);
  Thread thread;
  thread.process = process_;
  thread.tid = state.tid;
  thread.name = profile_.Intern(RingName(ring));
  thread.start = std::clamp<int64_t>(ring.start_ns, 0, now);
  state.last_sample = thread.start;
  state.last_visit = thread.start;
  RecordThread(slot, ring);
  profile_.threads.push_back(thread);
  state.thread = ThreadId{static_cast<uint32_t>(profile_.threads.size())};
  if (markers_) markers_->AddThread(ring.tid, state.thread);
  if (gpu_) gpu_->memory().AddThread(ring.tid, state.thread);
}

// Returns the id that thread `tid` of this process has in our own PID namespace. `tid` is its id in
// the process's namespace. If the thread has ended or may not be looked up, returns `tid`.
int64_t ProcessDrain::HostTid(int64_t tid) {
  if (!foreign()) return tid;
  if (tid == own_pid_) return pid_;
  if (!may_ask_) return tid;
  if (!host_tids_) host_tids_ = HostThreads(pid_);
  const auto host = host_tids_->find(tid);
  return host != host_tids_->end() ? host->second : tid;
}

void ProcessDrain::RecordThread(uint32_t slot, const wire::ThreadRing& ring) {
  if (raw_ == nullptr) return;
  raw_->Add(RawKind::kThread, process_.value, slot,
            {reinterpret_cast<const std::byte*>(&ring), offsetof(wire::ThreadRing, head)});
}

namespace {

// Returns how much of a thread's CPU clock passed while recording was paused, in ns. `paused` is
// the sum of the weights of its samples during pauses, `given` that of all others. If both together
// exceed the clock slightly, the excess is shared in proportion.
int64_t PausedPart(int64_t clock, int64_t paused, int64_t given) {
  const double weights = static_cast<double>(paused) + static_cast<double>(given);
  if (weights <= static_cast<double>(clock)) return paused;
  return static_cast<int64_t>(static_cast<double>(paused) * (static_cast<double>(clock) / weights));
}

}  // namespace

// Takes over the name that Python gave the thread. Does nothing if another thread has the slot by
// now, because the slot then contains that thread's name.
void ProcessDrain::TakePythonName(SlotState& state, const wire::ThreadRing& ring) {
  const uint32_t id = ring.python_name.load(std::memory_order_acquire);
  if (state.named || id == 0 || ring.generation.load() != state.generation) return;
  const auto record = region_.Code(id);
  if (!record || record->name.empty()) return;
  profile_.threads[state.thread.index()].name = profile_.Intern(record->name);
  state.named = true;
}

void ProcessDrain::UpdateTimes(uint32_t slot, const wire::ThreadRing& ring) {
  SlotState& state = slots_[slot];
  TakePythonName(state, ring);
  if (state.python && metrics_.gil) {
    profile_.AddSelf(profile_.root(), state.thread, metrics_.gil, std::exchange(state.gil_ns, 0));
    profile_.AddSelf(profile_.root(), state.thread, metrics_.no_gil,
                     std::exchange(state.no_gil_ns, 0));
  }
  Thread& thread = profile_.threads[state.thread.index()];
  const int64_t last = ring.last_cpu_ns.load(std::memory_order_relaxed);
  const int64_t first = std::clamp<int64_t>(ring.start_cpu_ns, 0, kMaxCpuNs);
  // Limit the values, because they may be half written or hostile. In the profile, a thread's clock
  // must never run backwards.
  const int64_t clock =
      std::clamp<int64_t>(std::clamp<int64_t>(last, 0, kMaxCpuNs) - first, 0, kMaxCpuNs);
  thread.lost_ns = static_cast<int64_t>(
      std::min<uint64_t>(ring.dropped_ns.load(std::memory_order_relaxed), kMaxCpuNs));
  const auto paused = static_cast<int64_t>(
      std::min<uint64_t>(ring.paused_ns.load(std::memory_order_relaxed), kMaxCpuNs));
  // In wall-clock mode, weights are not CPU time, so PausedPart cannot be used.
  state.paused_ns = wall_clock_ ? std::min(paused, clock)
                                : PausedPart(clock, paused, state.accounted_ns + thread.lost_ns);
  thread.cpu_ns = clock - state.paused_ns;
}

void ProcessDrain::CloseThread(uint32_t slot, wire::ThreadRing& ring, HostNs end,
                               std::vector<SampleRow>& rows) {
  SlotState& state = slots_[slot];
  UpdateTimes(slot, ring);
  if (wall_clock_) {
    const RecordingWindow all, &window = window_ != nullptr ? *window_ : all;
    const HostNs from = std::max(state.last_visit, window.begin), to = std::min(end, window.end);
    if (from < to) AddTime(slot, to, state.pending_wall_ns + to - from, state.node != 0, rows);
  }
  if (!wall_clock_) Settle(slot, end, rows);
  Thread& thread = profile_.threads[state.thread.index()];
  thread.end = std::max(end, thread.start);
  const std::string name = RingName(ring);
  if (!name.empty() && !state.named) thread.name = profile_.Intern(name);
  state = SlotState{};
}

size_t ProcessDrain::DrainRing(uint32_t slot, wire::ThreadRing& ring, HostNs now,
                               std::vector<SampleRow>& rows) {
  SlotState& state = slots_[slot];
  const uint64_t head = ring.head.load(std::memory_order_acquire);
  uint64_t tail = ring.tail.load(std::memory_order_relaxed);
  const uint64_t grown = ring.grown.load(std::memory_order_relaxed);
  const uint32_t capacity = wire::RingCapacity(grown);
  if (head - tail > capacity) {  // an agent never writes this
    ++overwritten_;
    tail = head - std::min<uint64_t>(head, capacity);
  }
  if (tail == head) return 0;
  const uint64_t end = tail + std::min<uint64_t>(head - tail, entries_left_);
  entries_left_ -= static_cast<size_t>(end - tail);
  entries_read_ += static_cast<size_t>(end - tail);
  has_more_ = end != head;
  const int64_t began = MonotonicNs();
  size_t count = 0;
  for (; tail != end; ++tail) {
    const wire::SampleRecord record = ring.entries[wire::RingIndex(tail, grown)];
    if (raw_ != nullptr) {
      raw_->Add(RawKind::kEntry, process_.value, slot, std::as_bytes(std::span(&record, 1)));
    }
    const uint16_t flags = wire::WhenFlags(record.when);
    if ((flags & wire::kRecordUnseen) != 0) {
      state.unseen = static_cast<wire::Unseen>(wire::CallOf(flags));
      state.unseen_at = uint64_t{record.weight} << 32 | record.node;
      continue;
    }
    if (!wire::IsSample(flags)) {
      TakeCall(record, state.thread, now);
      continue;
    }
    ++count;
    SampleRow row;
    row.time = std::clamp<int64_t>(wire::WhenTime(record.when), 0, now);
    row.thread = state.thread;
    const auto unseen = std::exchange(state.unseen, wire::Unseen{});
    row.node = unseen != wire::Unseen{} ? UnseenNode(UnseenName(unseen), state.unseen_at + 1)
                                        : ingest_.Node(region_, record.node);
    row.state = static_cast<uint8_t>(flags & (kStateMask | kStateTruncated | kStatePythonTorn));
    row.weight = record.weight;
    if (wall_clock_) {
      row.weight = Saturated(state.pending_wall_ns);
      state.pending_wall_ns = state.awaited_ns = 0;
      // The thread waited there until the signal woke it.
      if (EndsIn(region_, record.node, state.asked_in)) MarkIdle(row);
    }
    state.unanswered = 0;
    state.node = record.node;
    state.last_sample = row.time;
    Account(state, row, row.node);
    state.accounted_ns += row.weight;
    if (!wall_clock_) state.recent.Add(row.node, row.weight);
    rows.push_back(row);
  }
  ring.tail.store(end, std::memory_order_release);
  ingest_ns_ += MonotonicNs() - began;
  return count;
}

void ProcessDrain::RefreshNames() {
  if (!may_ask_) return;
  for (const SlotState& state : slots_) {
    if (!state.thread || state.named) continue;
    const auto name = ThreadName(pid_, state.tid);
    if (name && !name->empty())
      profile_.threads[state.thread.index()].name = profile_.Intern(*name);
  }
}

// Returns false only if all threads of the process certainly have a slot. If threads have started
// without the agent, equal numbers of threads and slots prove nothing, because such threads also
// end without the agent.
bool ProcessDrain::MayHaveUnseenThreads() const {
  if (foreign() || !may_ask_) return false;
  if (unseen_.any() || workers_.any()) return true;
  return ThreadCountOf(pid_) >
         std::count_if(slots_.begin(), slots_.end(),
                       [](const SlotState& state) { return state.thread && state.missed == 0; });
}

void ProcessDrain::CompareThreads(HostNs now) {
  // Do nothing if the ids of the threads are not ours, or if the PID may belong to another process.
  if (foreign() || !may_ask_) return;
  const HostNs began = MonotonicNs();
  std::vector<int64_t> alive = ThreadsOf(pid_);
  std::sort(alive.begin(), alive.end());
  const auto is_alive = [&](int64_t tid) {
    return std::binary_search(alive.begin(), alive.end(), tid);
  };
  // Do nothing if the PID belongs to another program by now.
  // The path may have gained the suffix " (deleted)".
  const std::string executable = ExecutableOf(pid_);
  if (!is_alive(pid_)) return;
  if (!executable.empty() && !executable.starts_with(region_.Executable())) return;
  std::vector<int64_t> seen;
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
    SlotState& state = slots_[slot];
    if (!state.thread) continue;
    seen.push_back(state.tid);
    if (is_alive(state.tid)) {
      state.missed = 0;
    } else if (state.missed == 0) {
      state.missed = now;
    } else if (now - state.missed >= kEnded) {
      EndUnseen(slot, now);
    }
  }
  std::sort(seen.begin(), seen.end());
  std::vector<int64_t> unseen;
  std::set_difference(alive.begin(), alive.end(), seen.begin(), seen.end(),
                      std::back_inserter(unseen));
  for (const KernelWorkers::Use& use : workers_.Check(pid_, unseen)) TakeWorker(use, now);
  unseen_.Looked(now, unseen, seen);
  next_look_ = now + std::max(UnseenThreads::kLookEvery, kLookShare * (MonotonicNs() - began));
}

void ProcessDrain::EndUnseen(uint32_t slot, HostNs now) {
  wire::ThreadRing* ring = region_.Ring(slot);
  if (ring == nullptr) return;
  ring->end_ns.store(now, std::memory_order_relaxed);
  uint32_t active = wire::kThreadActive;
  ring->state.compare_exchange_strong(active, wire::kThreadEnded);
}

void ProcessDrain::AskForThread(HostNs now) {
  std::atomic<int32_t>& request = region_.header().arm_request;
  const bool free = request.load(std::memory_order_acquire) == 0;
  if (const auto tid = unseen_.Next(now, free))
    request.store(static_cast<int32_t>(*tid), std::memory_order_release);
}

}  // namespace gprofx
