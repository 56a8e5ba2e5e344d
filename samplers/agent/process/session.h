// The agent's side of the shared memory: joins the recording, claims a region for this process,
// counts.
//
// Attach and Begin run at load, Postpone and Rejoin in a fork child (where it must only use
// async-signal-safe calls). Afterwards the pointers are constant until the next fork; Count and the
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
  // Finds the memory by the session variable's value, maps the control page and copies its facts.
  // False: no recording to join (nothing was changed). A memory of a user who is neither root nor
  // this process's own is no recording to join: they could change it at will.
  bool Attach(const char* value);
  // Instead of Begin: this program is not to be sampled.
  void LeaveAlone(wire::NotSampled reason);
  // Claims a region for this process. False: it is not sampled, and counted as such.
  // `start_cpu_ns`: clock of the process at our first look at it.
  bool Begin(int64_t start_cpu_ns);
  bool Join(const char* value) { return Attach(value) && Begin(0); }
  // Begin for a process that runs already; what its clock says is not of this recording.
  bool BeginLate(int64_t start_cpu_ns);
  // After Leave, when nobody of ours runs in the process any more: gives back what was mapped, for
  // Attach to begin anew.
  void Part();
  // Which recording of this process this is. What a thread kept from another one is of no use.
  uint32_t recording() const { return recording_.load(); }

  // In a fork child: has no region for now and costs nothing; what it counts is thrown away. Rejoin
  // gets it one. False: children are not followed.
  bool Postpone(int64_t start_cpu_ns);
  bool postponed() const { return header_.load() == &nowhere_; }
  // In a fork child, after Postpone: leaves the parent's region (without ending it) and claims one
  // of its own.
  bool Rejoin();
  // Leaves the region for good: of the parent in a fork child, or of a recording that is over.
  void Leave() {
    header_ = nullptr;
    left_ = true;
  }

  bool attached() const { return control_ != nullptr && !left_; }
  bool joined() const { return header_.load() != nullptr; }
  // Is this another PID namespace than the collector's?
  bool foreign() const { return foreign_; }
  bool late() const { return late_; }
  pid_t pid() const { return pid_; }  // of the process that joined or forked, as it sees itself
  // May what this process starts be sampled? A vfork child is not the process that joined.
  bool follows(int32_t pid) const { return facts_.plan.follow_children != 0 || pid == pid_; }
  const SessionName& name() const { return name_; }
  int OpenSpool() const { return agent::OpenSpool(name_); }
  // Is it this recording that the session variable's value names?
  bool IsNamed(const char* value) const;

  // Counts a program that runs without samples: the file at `path`, or this one.
  std::atomic<int64_t>* CountNotSampled(wire::NotSampled reason, const char* path) {
    return wire::CountNotSampled(control_->not_sampled, reason, path);
  }
  void CountThisProgram(wire::NotSampled reason);
  // This process execs: what runs without samples is the new program, which is counted by itself.
  // `failed`: it did not.
  void Replaced(bool failed);

  // Did the collector send a signal with this si_pid? The kernel says 0 for a sender outside of our
  // PID namespace.
  bool FromCollector(int32_t pid) const { return pid == (foreign_ ? 0 : facts_.collector_pid); }
  bool CollectorIsGone() const;
  bool InCollectorsRoot() const;

  // The stretch of time that is recorded, counted from 1; 0 = nothing is just now.
  uint32_t stretch() const { return control_->sampling.load(std::memory_order_relaxed); }
  bool sampling() const { return stretch() != 0; }
  // Nothing will be recorded any more.
  bool over() const { return control_->over.load(std::memory_order_relaxed) != 0; }
  // As it is now.
  wire::SamplingPlan plan() const { return wire::SparsePlan(facts_.plan, periods()); }
  uint32_t periods() const {
    return wire::BoundedPeriods(control_->periods.load(std::memory_order_relaxed));
  }
  const wire::SessionFacts& facts() const { return facts_; }
  wire::ControlPage& control() { return *control_; }
  wire::ProcessHeader& header() { return *header_.load(std::memory_order_relaxed); }
  // Null: not joined, or no longer.
  wire::ProcessHeader* header_if_joined() { return header_.load(std::memory_order_acquire); }
  uint32_t region() const { return region_; }

  wire::ModuleRecord* modules() { return At<wire::ModuleRecord>(wire::kModulesOffset); }
  wire::NodeRecord* nodes() { return At<wire::NodeRecord>(wire::kNodesOffset); }
  std::atomic<uint32_t>* hash() { return At<std::atomic<uint32_t>>(wire::kHashOffset); }
  // Rings are sparse memory: a program that locks all of its own (mlockall) would have gigabytes of
  // it made. So those that no thread had yet are closed, and opened here, a block at a time. Null:
  // the kernel does not let us.
  wire::ThreadRing* OpenRing(uint32_t slot);
  uint32_t ring_count() const { return ring_count_; }
  // Thread slots [0, this) were used at least once.
  uint32_t used_slots() const {
    const wire::ProcessHeader* header = header_.load(std::memory_order_acquire);
    if (header == nullptr) return 0;
    return std::min(header->threads_high.load(std::memory_order_relaxed), ring_count_);
  }

  // Room in the arena, aligned to kArenaUnit; null when full. *offset is its byte offset.
  void* Allocate(uint64_t bytes, uint64_t* offset);
  // What was allocated at an offset; null: it is not in the arena, whatever the memory says.
  uint8_t* Allocated(uint64_t offset, uint64_t bytes) {
    const bool inside = offset < wire::kArenaBytes && bytes <= wire::kArenaBytes - offset;
    return inside ? At<uint8_t>(wire::kArenaOffset + offset) : nullptr;
  }

  void Count(wire::Counter counter, uint64_t amount = 1) {
    wire::ProcessHeader* header = header_.load(std::memory_order_relaxed);
    if (header != nullptr) header->counters[counter].fetch_add(amount, std::memory_order_relaxed);
  }

  // Nanoseconds since the start of the recording.
  int64_t Now() const;

  // Another part of the memory that was joined, by the one that is mapped, or else by its name, or
  // by asking the collector, which takes 0.2 s at most. Null: it may not. Async-signal-safe; munmap
  // ends it.
  enum class Ask : bool { kNo, kYes };
  void* MapAgain(uint64_t at, uint64_t bytes, Ask ask);

  // Tells the collector something about a process. Async-signal-safe.
  void Note(wire::ProcessNoteKind kind, int32_t pid, int32_t from, int64_t cpu_ns);

 private:
  template <class T>
  T* At(uint64_t offset) {
    return reinterpret_cast<T*>(base_ + offset);
  }
  // What becomes of a memory that another user could change at will: it is not joined, and this
  // program may be counted there as not sampled.
  enum class Untrusted : bool { kIgnored, kCounted };
  bool MapControl(int fd, Untrusted untrusted);
  bool IsJoined(int fd) const;  // the file that was joined
  bool ClaimForFork();
  bool FindHostPid();
  bool ClaimRegion();
  template <class Map>
  bool MapRegion(Map map);
  // Of rings from `first` on.
  bool ProtectRings(uint32_t first, uint32_t count, int protection);
  void FillHeader(const wire::ProcessHeader* parent);

  SessionName name_;
  wire::SessionFacts facts_ = {};  // a copy: the page is everybody's who shares the memory
  wire::ControlPage* control_ = nullptr;
  dev_t device_ = 0;  // of the memory, with its number there
  ino_t inode_ = 0;
  std::atomic<wire::ProcessHeader*> header_{nullptr};  // null: nothing of a recording may be used
  std::atomic<uint32_t> recording_{0};
  uint8_t* base_ = nullptr;
  uint64_t mapped_bytes_ = 0;
  uint32_t region_ = 0;
  uint32_t ring_count_ = 0;
  std::atomic<uint32_t> open_rings_{0};
  int memory_ = -1;                          // open between Attach and Begin only
  ProcessStat collector_;                    // when this process joined; start 0 = not known
  int64_t host_pid_ = 0;                     // this process as the collector sees it; 0 = not known
  int64_t parent_pid_ = 0;                   // its parent, as the collector sees it; 0 = not known
  pid_t pid_ = 0;                            // as it sees itself
  std::atomic<int64_t>* counted_ = nullptr;  // where this process is counted as not sampled
  bool foreign_ = false;                     // in another PID namespace than the collector
  int64_t start_ns_ = 0, start_cpu_ns_ = 0;
  bool forked_ = false, late_ = false, left_ = false;
  wire::ProcessHeader nowhere_ = {};  // of a process without a region
};

extern Session g_session;

// Thread CPU time of the calling thread, ns.
int64_t ThreadCpuNs();
int64_t ProcessCpuNs();
int64_t MonotonicNs();

}  // namespace gprofx::agent
