// Moves the samples in the rings of one process into the profile and keeps track of its threads.
//
// A thread slot has generations, one for each thread that used it. When the agent has marked a slot
// as ended, the slot is drained, closed and given back. Everything that the target wrote is checked
// against limits: ring positions, times, node indexes.
//
// Weights are ns of the sampled clock. In CPU mode they come with the sample. In wall-clock mode
// the WallSampler collects the thread's time in `pending_wall_ns`. Times are HostNs. One thread.
// The profile and the GPU run must outlive the drain.
//
// Between the samples, the rings contain entries of CUDA calls. These entries and the process's
// stream of GPU records are passed to the process's GpuIngest. The head of the stream is read
// before the rings are drained (wire/gpu.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/cost/profiling_time.h"
#include "core/model/profile.h"
#include "samplers/collector/drain/ingest.h"
#include "samplers/collector/drain/kernel_workers.h"
#include "samplers/collector/drain/raw_recording.h"
#include "samplers/collector/drain/region.h"
#include "samplers/collector/drain/unseen_threads.h"
#include "samplers/collector/gpu/ingest.h"
#include "samplers/collector/gpu/stream_reader.h"
#include "samplers/collector/markers/matcher.h"
#include "samplers/collector/residual.h"

namespace gprofx {

struct Metrics {
  MetricId time;     // "cpu" or "wall", ns
  MetricId idle;     // the part of "wall" in which the thread waited, ns; 0 in CPU mode
  MetricId samples;  // number of samples
  // CPU time with and without the GIL, only for threads that ran Python. It is counted at the root
  // node, because it says how the thread spent its time, not where. Only the time of samples of
  // profiling code (SetProfiling) is counted at the nodes of these samples. It can then be excluded
  // together with them.
  MetricId gil, no_gil;
};

Metrics AddMetrics(Profile& profile, bool wall_clock);

struct SlotState {  // what the collector knows about the thread in a slot
  uint32_t generation = 0;
  ThreadId thread;  // 0 = the slot is empty
  int64_t tid = 0;
  uint32_t node = 0;  // node of its latest sample, numbered as in the region
  // The reason, if the next sample has no stack; `unseen_at`: where the thread was.
  wire::Unseen unseen{};
  uint64_t unseen_at = 0;
  bool python = false;
  bool named = false;  // its name came from Python, which is better than the system's
  HostNs missed = 0;   // time of the first check that did not find the thread; 0 = found
  int64_t gil_ns = 0, no_gil_ns = 0;
  int64_t accounted_ns = 0;  // CPU mode: sum of weights so far
  int64_t paused_ns = 0;     // part of its CPU clock that passed while recording was paused
  RecentSamples recent;      // CPU mode
  HostNs last_sample = 0;
  HostNs last_visit = 0;        // wall mode
  int64_t pending_wall_ns = 0;  // wall mode: time since the latest sample
  int64_t awaited_ns = 0;       // part of pending_wall_ns in which the thread ran
  int64_t unanswered = 0;       // wall mode: signals since the latest sample
  int64_t visit_cpu_ns = 0;     // wall mode: its CPU clock at the last visit
  int64_t asked_runs = 0;       // wall mode: times it had got a processor by the latest signal
  std::string asked_in;         // wall mode: where it waited at the latest signal; "" = it ran
  UniqueFd schedstat;           // wall mode
};

class ProcessDrain {
 public:
  // Closes the perf event of a thread that has ended or must not have one. `slot` and `generation`
  // identify the thread. Returns whether there was an event.
  using ClosePerf = std::function<bool(uint32_t slot, uint32_t generation)>;

  // What may be read about the process under /proc.
  //  - kNothing: nothing, because the process may not be the one that its region names
  //    (region_owner.h).
  //  - kPatiently: everything, but a read may block, so patient_read.h is used.
  //  - kAll: everything.
  enum class Ask { kNothing, kPatiently, kAll };
  ProcessDrain(Profile& profile, ModuleTable& modules, const Metrics& metrics, Region region,
               ProcessId process, bool wall_clock, GpuRun* gpu = nullptr, Ask ask = Ask::kAll);

  // Moves samples from the rings into the profile and appends rows for the timeline to `rows`.
  // Reads at most `most` entries, because a target may keep its rings full. Returns the number of
  // samples.
  size_t Drain(HostNs now, std::vector<SampleRow>& rows, const ClosePerf& close_perf,
               size_t most = SIZE_MAX);
  // True if the latest Drain left entries or threads for the next one.
  bool has_more() const { return has_more_; }
  size_t entries_read() const { return entries_read_; }    // entries that the latest Drain read
  size_t threads_ended() const { return threads_ended_; }  // slots that the latest Drain gave back

  // Closes the threads of a process that has ended. Call Drain once before.
  void Close(HostNs end, std::vector<SampleRow>& rows, const ClosePerf& close_perf);

  // Ends GPU records and markers at `end`, in a forked copy of the recorder, which writes what is
  // known until then. Touches nothing that is shared with the target.
  void FinishCopy(HostNs end);

  // Wall-clock mode: counts the `ns` nanoseconds before `now` at the thread's latest stack, as idle
  // time if `idle` is true.
  void AddTime(uint32_t slot, HostNs now, int64_t ns, bool idle, std::vector<SampleRow>& rows);

  // Returns the node for time without a stack, a frame named `what` below the root. If the code
  // that made the call returning to `after` is known, returns the node of its frame below that one.
  NodeId UnseenNode(std::string_view what, uint64_t after);
  // Wall-clock mode: counts the pending time of a thread without a stack as idle. The node is the
  // UnseenNode of the call that the thread waits in, which returns to `address`.
  void AddUnseen(uint32_t slot, HostNs now, uint64_t address, std::vector<SampleRow>& rows);

  // Reads the names of the threads from /proc. The process must be alive.
  void RefreshNames();
  // Checks which threads the process has. The process must be alive. Drain does this itself when
  // there are more threads than slots in use.
  //
  // If a thread has no slot, the agent is asked to start sampling it: one such thread at each
  // Drain, without waiting for an answer. Threads that were not created by pthread_create do not
  // report their end; their slots are ended here.
  void CompareThreads(HostNs now);
  // True if the agent should soon be asked for another thread (unseen_threads.h). The caller should
  // then not wait long before the next Drain.
  bool Hurries(HostNs now) const { return unseen_.Hurries(now); }

  Region& region() { return region_; }
  const Region& region() const { return region_; }
  ProcessIngest& ingest() { return ingest_; }
  const ProcessIngest& ingest() const { return ingest_; }
  ProcessId process() const { return process_; }
  int64_t pid() const { return pid_; }
  // True if the process is in another PID namespace. The thread ids in its region are then not
  // ours.
  bool foreign() const { return own_pid_ != pid_; }
  std::vector<SlotState>& slots() { return slots_; }
  int64_t accounted_ns() const { return accounted_ns_; }
  // Part of accounted_ns() that is weights of samples.
  int64_t sampled_ns() const { return sampled_ns_; }
  // Writes a copy of everything that is read to `raw`; null = nowhere. Not owned.
  void SetRaw(RawRecording* raw) { raw_ = raw; }

  // `short_threads` collects the time of threads without a sample; if null, that time is not
  // collected. `window` is the time in which samples are taken; null means always. Neither is
  // owned.
  void SetRest(ShortThreads* short_threads, const RecordingWindow* window) {
    short_threads_ = short_threads;
    window_ = window;
  }
  // Sets the object that recognizes samples of profiling code. Not owned. If null, no sample counts
  // as profiling code.
  void SetProfiling(ProfilingStacks* profiling) { profiling_ = profiling; }
  // Sets the object that receives the NVTX ranges of the process. Must not be null; not owned. If
  // this is never called, ranges are ignored. Call it before the first Drain.
  void SetMarkers(MarkerRun* run);
  int64_t marker_records() const { return marker_records_; }
  // Sum of the CPU clocks of all closed threads. Includes time that was not sampled and time
  // outside the window.
  int64_t closed_clocks_ns() const { return closed_clocks_ns_; }
  // Node of the main thread's latest sample. Known after that thread was closed.
  NodeId main_node() const { return main_node_; }
  // Returns the thread of the latest worker that the kernel made in the process. Returns 0 if there
  // is no worker, or if the process has other threads without a slot.
  ThreadId only_worker() const {
    return workers_.are_all() ? worker_threads_.rbegin()->second : ThreadId{};
  }

  int64_t gpu_entries() const { return gpu_entries_; }  // ring entries that were CUDA calls
  // Time in ns that the recorder itself spent on reading the rings and the stream. Checks of empty
  // ones are not included.
  int64_t ingest_ns() const { return ingest_ns_; }
  int64_t overwritten() const { return overwritten_; }  // number of invalid positions in rings
  int64_t GpuLaunches();                                // number of launches so far
  // Approximate memory used for this process, without rows and the profile.
  size_t bytes() const;

 private:
  void OpenThread(uint32_t slot, const wire::ThreadRing& ring, HostNs now);
  void CloseThread(uint32_t slot, wire::ThreadRing& ring, HostNs end, std::vector<SampleRow>& rows);
  int64_t HostTid(int64_t tid);
  void RecordThread(uint32_t slot, const wire::ThreadRing& ring);
  void TakePythonName(SlotState& state, const wire::ThreadRing& ring);
  void UpdateTimes(uint32_t slot, const wire::ThreadRing& ring);
  size_t DrainRings(HostNs now, std::vector<SampleRow>& rows, const ClosePerf& close_perf);
  void ReadGpu(uint64_t head, HostNs now);
  void ReadMarkers(uint64_t head, HostNs now);
  void ReadMemory(uint64_t head, HostNs now);
  void CloseMemory();
  void CloseMarkers(HostNs end);
  void TakeCall(const wire::SampleRecord& record, ThreadId thread, HostNs now);
  size_t DrainRing(uint32_t slot, wire::ThreadRing& ring, HostNs now, std::vector<SampleRow>& rows);
  void EndThread(uint32_t slot, wire::ThreadRing& ring, HostNs now, std::vector<SampleRow>& rows);
  void Account(SlotState& state, const SampleRow& row, NodeId node);
  bool IsProfiling(NodeId node) const { return profiling_ != nullptr && profiling_->Is(node); }
  void MarkIdle(SampleRow& row);  // marks the row as time in which its thread waited
  void AddWallRow(SlotState& state, SampleRow row, std::vector<SampleRow>& rows);
  void Settle(uint32_t slot, HostNs end, std::vector<SampleRow>& rows);
  MetricId LockMetric(uint8_t state) const;  // `state` 0: the thread has no GIL state
  int64_t TakeBack(ThreadId thread, int64_t ns, std::vector<SampleRow>& rows, size_t* asked);
  ThreadSort SortOf(ThreadId thread) const;
  ThreadId ThreadOfWorker(const KernelWorkers::Use& use, HostNs now);
  void TakeWorker(const KernelWorkers::Use& use, HostNs now);
  void MoveWorkerRows(std::vector<SampleRow>& rows);
  void AskForThread(HostNs now);
  bool MayHaveUnseenThreads() const;
  void EndUnseen(uint32_t slot, HostNs now);
  void AddRest(ThreadId thread, NodeId node, int64_t ns, HostNs end, std::vector<SampleRow>& rows);

  Profile& profile_;
  Metrics metrics_;
  Region region_;
  ProcessId process_;
  ProcessIngest ingest_;
  bool wall_clock_;
  int64_t pid_;
  int64_t own_pid_;  // PID in its own PID namespace
  bool may_ask_, has_more_ = false;
  size_t entries_left_ = 0, entries_read_ = 0, threads_ended_ = 0;  // counts of the current Drain
  uint32_t threads_left_ = 0;  // threads that the current Drain may still open
  uint32_t first_slot_ = 0;    // slot at which the next Drain begins
  // For a process in another PID namespace: maps thread ids as the process sees them to ids as we
  // see them. Each Drain that needs the map reads it anew.
  std::optional<std::map<int64_t, int64_t>> host_tids_;
  std::vector<SlotState> slots_;
  FrameId idle_frame_;
  int64_t accounted_ns_ = 0, sampled_ns_ = 0;
  int64_t overwritten_ = 0;
  std::unique_ptr<GpuIngest> gpu_;  // null: GPU records are ignored
  GpuStreamReader gpu_reader_;
  ProfilingStacks* profiling_ = nullptr;
  MarkerRun* marker_run_ = nullptr;
  std::unique_ptr<MarkerMatcher> markers_;  // null: markers are ignored
  MarkerStreamReader marker_reader_;
  int64_t marker_records_ = 0;
  MemoryRingReader memory_reader_;
  int64_t gpu_entries_ = 0;
  int64_t ingest_ns_ = 0;
  RawRecording* raw_ = nullptr;
  ShortThreads* short_threads_ = nullptr;
  const RecordingWindow* window_ = nullptr;
  int64_t closed_clocks_ns_ = 0;
  UnseenThreads unseen_;
  KernelWorkers workers_;
  std::map<int64_t, ThreadId> worker_threads_;  // by tid
  std::vector<SampleRow> worker_rows_;          // rows that the next Drain or Close writes
  HostNs next_look_ = 0;                        // time of the next check of the threads
  NodeId main_node_;
};

}  // namespace gprofx
