// Drains the rings of one process into the profile and follows its threads.
//
// A thread slot has generations, one per thread that used it. When the agent has marked a slot as
// ended, the slot is drained, closed and given back. Everything the target wrote is bounded: ring
// positions, times, node indexes. Weights are ns of the sampled clock: in CPU mode they come with
// the sample; in wall mode the WallSampler collects the thread's time in `pending_wall_ns`. Times
// are HostNs. One thread. The profile and the GPU run must outlive the drain.
//
// Entries of CUDA calls lie between the samples. These entries and the process's stream of GPU
// records are passed to the process's GpuIngest. The head of the stream is read before the rings
// are drained (wire/gpu.h).
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
  MetricId samples;  // count
  // CPU time by GIL state, only for threads that ran Python. This time is counted at the root node,
  // because it says how the thread spent its time, not where. Only the time of samples of profiling
  // code (SetProfiling) is counted at the nodes of these samples, so that it can be excluded
  // together with them.
  MetricId gil, no_gil;
};

Metrics AddMetrics(Profile& profile, bool wall_clock);

struct SlotState {  // what the collector knows about a thread slot
  uint32_t generation = 0;
  ThreadId thread;  // 0 = the slot is empty
  int64_t tid = 0;
  uint32_t node = 0;      // wire node of the latest sample
  wire::Unseen unseen{};  // why the next sample has no stack, and where the thread was
  uint64_t unseen_at = 0;
  bool python = false;
  bool named = false;  // by Python, whose name is better: the system's is shorter or says nothing
  HostNs missed = 0;   // time of the first check that did not find it; 0 = it was found
  int64_t gil_ns = 0, no_gil_ns = 0;
  int64_t accounted_ns = 0;  // CPU mode: sum of weights so far
  int64_t paused_ns = 0;     // part of its clock with recording paused
  RecentSamples recent;      // CPU mode
  HostNs last_sample = 0;
  HostNs last_visit = 0;        // wall mode
  int64_t pending_wall_ns = 0;  // wall mode: time since the latest sample
  int64_t awaited_ns = 0;       // part of pending_wall_ns in which it ran
  int64_t unanswered = 0;       // wall mode: signals since the latest sample
  int64_t visit_cpu_ns = 0;     // wall mode: its CPU clock at the last visit
  int64_t asked_runs = 0;       // wall mode: its run count at the latest signal
  std::string asked_in;         // wall mode: where it waited at the latest signal; "" = it ran
  UniqueFd schedstat;           // wall mode
};

class ProcessDrain {
 public:
  // Called with slot and generation of a thread whose perf event is to be closed, because the
  // thread has ended or must not have one. Returns whether there was one.
  using ClosePerf = std::function<bool(uint32_t slot, uint32_t generation)>;

  // What may be read under /proc. kNothing: the process may not be the one that its region names
  // (region_owner.h). kPatiently: reads may block (patient_read.h).
  enum class Ask { kNothing, kPatiently, kAll };
  ProcessDrain(Profile& profile, ModuleTable& modules, const Metrics& metrics, Region region,
               ProcessId process, bool wall_clock, GpuRun* gpu = nullptr, Ask ask = Ask::kAll);

  // Moves samples from the rings into the profile and appends rows for the timeline to `rows`.
  // Reads at most `most` entries, so that a target that keeps its rings full costs no more than
  // that. Returns the number of samples.
  size_t Drain(HostNs now, std::vector<SampleRow>& rows, const ClosePerf& close_perf,
               size_t most = SIZE_MAX);
  // True if the latest Drain left entries for the next one.
  bool has_more() const { return has_more_; }
  size_t entries_read() const { return entries_read_; }    // by the latest Drain
  size_t threads_ended() const { return threads_ended_; }  // slots that it gave back

  // Closes the threads of a process that has ended. Call Drain once before.
  void Close(HostNs end, std::vector<SampleRow>& rows, const ClosePerf& close_perf);

  // Used in a forked copy of the recorder, which writes what is known until `end`: ends the GPU
  // side and the markers. Touches nothing shared with the target.
  void FinishCopy(HostNs end);

  // Counts the `ns` nanoseconds before `now` at the thread's latest stack, as idle time if `idle`
  // (wall mode).
  void AddTime(uint32_t slot, HostNs now, int64_t ns, bool idle, std::vector<SampleRow>& rows);

  // Returns the node for time without a stack: the frame `what` below the root and, below it, the
  // code that made the call returning to `after`, if that code is known.
  NodeId UnseenNode(std::string_view what, uint64_t after);
  // For a thread without a stack that waits in a call returning to `address`: counts its pending
  // time as idle, at UnseenNode (wall mode).
  void AddUnseen(uint32_t slot, HostNs now, uint64_t address, std::vector<SampleRow>& rows);

  // Reads thread names from /proc (the process must be alive).
  void RefreshNames();
  // Checks which threads the process has (it must be alive). Drain does this itself when there are
  // more threads than slots in use. For threads without a slot the agent is asked to start sampling
  // them, one at each Drain, without waiting for an answer. Threads that pthread_create did not
  // make do not report their end; their slots are ended here.
  void CompareThreads(HostNs now);
  // True if the agent should soon be asked for another thread (unseen_threads.h), so the next Drain
  // should not wait for long.
  bool Hurries(HostNs now) const { return unseen_.Hurries(now); }

  Region& region() { return region_; }
  const Region& region() const { return region_; }
  ProcessIngest& ingest() { return ingest_; }
  const ProcessIngest& ingest() const { return ingest_; }
  ProcessId process() const { return process_; }
  int64_t pid() const { return pid_; }
  // True if the process is in another PID namespace: the thread ids that it writes are not ours.
  bool foreign() const { return own_pid_ != pid_; }
  std::vector<SlotState>& slots() { return slots_; }
  int64_t accounted_ns() const { return accounted_ns_; }
  // Part of accounted_ns: the weights of samples.
  int64_t sampled_ns() const { return sampled_ns_; }
  // Everything that is read is also written there; null = nowhere. Not owned.
  void SetRaw(RawRecording* raw) { raw_ = raw; }

  // `short_threads` collects the time of threads without a sample; null: it is not collected.
  // `window` says when samples are taken; null: always. Neither is owned.
  void SetRest(ShortThreads* short_threads, const RecordingWindow* window) {
    short_threads_ = short_threads;
    window_ = window;
  }
  // Recognises samples of profiling code. Not owned; null: there are none.
  void SetProfiling(ProfilingStacks* profiling) { profiling_ = profiling; }
  // Receives the NVTX ranges of the process. Not owned; call before the first Drain. Null: markers
  // are ignored.
  void SetMarkers(MarkerRun* run);
  int64_t marker_records() const { return marker_records_; }
  // Sum of the CPU clocks of closed threads: sampled or not, inside the window or not.
  int64_t closed_clocks_ns() const { return closed_clocks_ns_; }
  NodeId main_node() const { return main_node_; }  // latest sample of the closed main thread
  // The latest of the kernel's workers in the process, if no other threads without a slot were
  // found; 0 = none.
  ThreadId only_worker() const {
    return workers_.are_all() ? worker_threads_.rbegin()->second : ThreadId{};
  }

  int64_t gpu_entries() const { return gpu_entries_; }  // ring entries that were CUDA calls
  // Our own time for reading rings and stream, without checks of empty ones.
  int64_t ingest_ns() const { return ingest_ns_; }
  int64_t overwritten() const { return overwritten_; }  // invalid ring positions seen
  int64_t GpuLaunches();                                // so far
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
  void MarkIdle(SampleRow& row);  // its thread waits at its stack
  void AddWallRow(SlotState& state, SampleRow row, std::vector<SampleRow>& rows);
  void Settle(uint32_t slot, HostNs end, std::vector<SampleRow>& rows);
  MetricId LockMetric(uint8_t state) const;  // 0: the thread has no Python state
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
  int64_t own_pid_;  // in its own PID namespace
  bool may_ask_, has_more_ = false;
  size_t entries_left_ = 0, entries_read_ = 0, threads_ended_ = 0;  // of the current Drain
  uint32_t threads_left_ = 0;  // that the current Drain may still open
  uint32_t first_slot_ = 0;    // where the next Drain starts
  // For a process in another PID namespace: thread ids as we see them, by those that it sees.
  // Reread by each Drain that needs it.
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
  std::vector<SampleRow> worker_rows_;          // for the next Drain or Close
  HostNs next_look_ = 0;                        // next check of the threads
  NodeId main_node_;
};

}  // namespace gprofx
