// The agent's side of the shared memory. Joins the recording, claims a region for this process and
// counts events.
//
// Attach and Begin run at load. Postpone and Rejoin run in a fork child and make only
// async-signal-safe calls. Afterwards the pointers are constant until the next fork. Count and the
// accessors are async-signal-safe.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "samplers/agent/process/join.h"
#include "samplers/agent/process/process_stat.h"
#include "samplers/wire/facts.h"
#include "samplers/wire/layout.h"
#include "samplers/wire/sparse_plan.h"

namespace gprofx::agent {

class Session {
 public:
  // Finds the shared memory named by the session variable's value, maps its control page and copies
  // the facts from there. Returns false, with nothing changed, if there is no recording to join.
  // Memory that belongs to a user other than root or this process's own is never joined, because
  // that user could change it at any time.
  bool Attach(const char* value);
  // Called instead of Begin if this program is not to be sampled. Counts the program under
  // `reason`.
  void LeaveAlone(wire::NotSampled reason);
  // Claims a region for this process. If the process cannot be sampled, counts it as not sampled
  // and returns false. `start_cpu_ns` is the process's CPU clock when the agent first read it.
  bool Begin(int64_t start_cpu_ns);
  bool Join(const char* value) { return Attach(value) && Begin(0); }
  // Does the work of Begin for a program that is entered while it runs. CPU time before
  // `start_cpu_ns` is not part of this recording.
  bool BeginLate(int64_t start_cpu_ns);
  // Removes the mappings, after which Attach may be called again. Called after Leave, when no agent
  // code runs in the process any more.
  void Part();
  // Returns the number of this recording within the process. State that a thread kept from a
  // recording with another number is not valid.
  uint32_t recording() const { return recording_.load(); }

  // Called in a fork child. Leaves the parent's region and claims none for now, which costs
  // nothing. Counts are discarded until Rejoin claims a region. Returns false if children are not
  // followed.
  bool Postpone(int64_t start_cpu_ns);
  bool postponed() const { return header_.load() == &nowhere_; }
  // Called in a fork child after Postpone. Unmaps the parent's region, without ending it there, and
  // claims a region for the child. Returns false on failure.
  bool Rejoin();
  // Leaves the region permanently. It is the parent's in a fork child, or that of a finished
  // recording.
  void Leave() {
    header_ = nullptr;
    left_ = true;
  }

  bool attached() const { return control_ != nullptr && !left_; }
  bool joined() const { return header_.load() != nullptr; }
  // True if this process runs in another PID namespace than the collector.
  bool foreign() const { return foreign_; }
  bool late() const { return late_; }
  // Id of the process that joined or forked, in that process's own PID namespace.
  pid_t pid() const { return pid_; }
  // True if a program that the process `pid` execs may be sampled. If children are not followed,
  // that holds only for the process that joined, and not for its vfork children.
  bool follows(int32_t pid) const { return facts_.plan.follow_children != 0 || pid == pid_; }
  const SessionName& name() const { return name_; }
  int OpenSpool() const { return agent::OpenSpool(name_); }
  // True if the value of a session variable names this recording.
  bool IsNamed(const char* value) const;

  // Counts a program that runs without samples. CountNotSampled counts the file at `path`,
  // CountThisProgram the running program.
  std::atomic<int64_t>* CountNotSampled(wire::NotSampled reason, const char* path) {
    return wire::CountNotSampled(control_->not_sampled, reason, path);
  }
  void CountThisProgram(wire::NotSampled reason);
  // Called before this process execs. If this process is counted as not sampled, takes it out of
  // that count; the new program is counted for itself. Called with `failed` set if the exec failed:
  // puts this process back into the count.
  void Replaced(bool failed);

  // True if `pid`, the si_pid of a signal, is the collector's. For a sender outside our PID
  // namespace the kernel sets si_pid to 0.
  bool FromCollector(int32_t pid) const { return pid == (foreign_ ? 0 : facts_.collector_pid); }
  bool CollectorIsGone() const;
  bool InCollectorsRoot() const;

  // Returns the number of the recorded period that is in progress, counted from 1. Returns 0 if
  // nothing is recorded now.
  uint32_t stretch() const { return control_->sampling.load(std::memory_order_relaxed); }
  bool sampling() const { return stretch() != 0; }
  // True if the recording has ended for good.
  bool over() const { return control_->over.load(std::memory_order_relaxed) != 0; }
  // Returns the sampling plan for the present sampling rate.
  wire::SamplingPlan plan() const { return wire::SparsePlan(facts_.plan, periods()); }
  uint32_t periods() const {
    return wire::BoundedPeriods(control_->periods.load(std::memory_order_relaxed));
  }
  const wire::SessionFacts& facts() const { return facts_; }
  wire::ControlPage& control() { return *control_; }
  wire::ProcessHeader& header() { return *header_.load(std::memory_order_relaxed); }
  // Returns the header of this process's region. Null if the process has not joined, or has left.
  wire::ProcessHeader* header_if_joined() { return header_.load(std::memory_order_acquire); }
  uint32_t region() const { return region_; }

  wire::ModuleRecord* modules() { return At<wire::ModuleRecord>(wire::kModulesOffset); }
  wire::NodeRecord* nodes() { return At<wire::NodeRecord>(wire::kNodesOffset); }
  std::atomic<uint32_t>* hash() { return At<std::atomic<uint32_t>>(wire::kHashOffset); }
  // Makes the ring of a slot accessible and returns it. Returns null if the kernel refuses. Unused
  // rings are inaccessible. They are sparse memory, and in a program that locks all its memory
  // (mlockall) they would otherwise occupy gigabytes. Rings are opened one block at a time.
  wire::ThreadRing* OpenRing(uint32_t slot);
  uint32_t ring_count() const { return ring_count_; }
  // Returns the number of thread slots that were used at least once. They are slots [0,
  // used_slots()).
  uint32_t used_slots() const {
    const wire::ProcessHeader* header = header_.load(std::memory_order_acquire);
    if (header == nullptr) return 0;
    return std::min(header->threads_high.load(std::memory_order_relaxed), ring_count_);
  }

  // Allocates from the arena, aligned to kArenaUnit. Returns null if the arena is full. Sets
  // *offset to the offset of the allocation in the arena, in bytes.
  void* Allocate(uint64_t bytes, uint64_t* offset);
  // Returns the memory at an offset in the arena, or null if the range is not inside it. Offsets
  // read from the shared memory may have any value.
  uint8_t* Allocated(uint64_t offset, uint64_t bytes) {
    const bool inside = offset < wire::kArenaBytes && bytes <= wire::kArenaBytes - offset;
    return inside ? At<uint8_t>(wire::kArenaOffset + offset) : nullptr;
  }

  void Count(wire::Counter counter, uint64_t amount = 1) {
    wire::ProcessHeader* header = header_.load(std::memory_order_relaxed);
    if (header != nullptr) header->counters[counter].fetch_add(amount, std::memory_order_relaxed);
  }

  // Returns the time since the start of the recording in ns.
  int64_t Now() const;

  // Maps `bytes` bytes at offset `at` of the joined memory. Tries the control page's mapping, then
  // the path, then (if `ask` is kYes) a request to the collector, which takes 0.2 s at most.
  // Returns null if all fail. The caller unmaps the range with munmap. Async-signal-safe.
  enum class Ask : bool { kNo, kYes };
  void* MapAgain(uint64_t at, uint64_t bytes, Ask ask);

  // Writes a note for the collector: an event of process `pid`, such as its fork or its end.
  // Async-signal-safe.
  void Note(wire::ProcessNoteKind kind, int32_t pid, int32_t from, int64_t cpu_ns);

 private:
  template <class T>
  T* At(uint64_t offset) {
    return reinterpret_cast<T*>(base_ + offset);
  }
  // What to do with shared memory that another user could change at any time. It is never joined,
  // but this program may be counted there as not sampled.
  enum class Untrusted : bool { kIgnored, kCounted };
  bool MapControl(int fd, Untrusted untrusted);
  bool IsJoined(int fd) const;  // same file as the joined memory
  bool ClaimForFork();
  bool FindHostPid();
  bool ClaimRegion();
  template <class Map>
  bool MapRegion(Map map);
  // Changes the protection of `count` rings, beginning with ring `first`.
  bool ProtectRings(uint32_t first, uint32_t count, int protection);
  void FillHeader(const wire::ProcessHeader* parent);

  SessionName name_;
  // A copy, because every process that shares the memory can write to the page.
  wire::SessionFacts facts_ = {};
  wire::ControlPage* control_ = nullptr;
  dev_t device_ = 0;  // device and inode of the memory
  ino_t inode_ = 0;
  std::atomic<wire::ProcessHeader*> header_{nullptr};  // null: no recorded state may be used
  std::atomic<uint32_t> recording_{0};
  uint8_t* base_ = nullptr;
  uint64_t mapped_bytes_ = 0;
  uint32_t region_ = 0;
  uint32_t ring_count_ = 0;
  std::atomic<uint32_t> open_rings_{0};
  int memory_ = -1;        // open between Attach and Begin only
  ProcessStat collector_;  // the collector when this process joined; start 0 = unknown
  // Ids of this process and of its parent in the collector's PID namespace; 0 = unknown.
  int64_t host_pid_ = 0;
  int64_t parent_pid_ = 0;
  pid_t pid_ = 0;  // id of this process in its own namespace
  // The counter that counts this process as not sampled; null if it is not counted.
  std::atomic<int64_t>* counted_ = nullptr;
  bool foreign_ = false;  // in another PID namespace than the collector
  int64_t start_ns_ = 0, start_cpu_ns_ = 0;
  bool forked_ = false, late_ = false, left_ = false;
  wire::ProcessHeader nowhere_ = {};  // header of a process without a region
};

extern Session g_session;

// Returns the CPU time of the calling thread in ns.
int64_t ThreadCpuNs();
int64_t ProcessCpuNs();
int64_t MonotonicNs();

}  // namespace gprofx::agent
