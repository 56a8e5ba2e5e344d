// The agent's side of the shared memory: joins the recording, claims a region for this process,
// counts.
//
// Join runs at load and again in a fork child (where it must only use async-signal-safe calls).
// Afterwards the pointers are constant until the next fork; Count and the accessors are
// async-signal-safe.
#pragma once

#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::agent {

class Session {
 public:
  // Opens the memory named by `path` and claims a region. False: no recording to join (nothing was
  // changed).
  // `start_cpu_ns`: clock of the process at our first look at it.
  bool Join(const char* path, int64_t start_cpu_ns = 0);
  // In a fork child: leaves the parent's region (without ending it) and claims one of its own.
  bool Rejoin();
  // In a fork child: has no region for now and costs nothing; what it counts is thrown away. Rejoin
  // gets it one. False: children are not followed.
  bool Postpone(int64_t start_cpu_ns);
  bool postponed() const { return header_ == &nowhere_; }

  bool joined() const { return header_ != nullptr; }
  pid_t pid() const { return pid_; }  // of the process that joined or forked, as it sees itself
  bool sampling() const { return control_->sampling.load(std::memory_order_relaxed) != 0; }
  const wire::SamplingPlan& plan() const { return control_->plan; }
  wire::ControlPage& control() { return *control_; }
  wire::ProcessHeader& header() { return *header_; }
  uint32_t region() const { return region_; }

  wire::ModuleRecord* modules() { return At<wire::ModuleRecord>(wire::kModulesOffset); }
  wire::NodeRecord* nodes() { return At<wire::NodeRecord>(wire::kNodesOffset); }
  std::atomic<uint32_t>* hash() { return At<std::atomic<uint32_t>>(wire::kHashOffset); }
  wire::ThreadRing* ring(uint32_t slot) {
    return At<wire::ThreadRing>(wire::kRingsOffset + slot * wire::kRingBytes);
  }
  uint32_t ring_count() const { return ring_count_; }

  // Room in the arena, aligned to kArenaUnit; null when full. *offset is its byte offset.
  void* Allocate(uint64_t bytes, uint64_t* offset);

  const char* ArenaText(uint64_t offset) { return At<const char>(wire::kArenaOffset + offset); }

  void Count(wire::Counter counter, uint64_t amount = 1) {
    header_->counters[counter].fetch_add(amount, std::memory_order_relaxed);
  }

  // Nanoseconds since the start of the recording.
  int64_t Now() const;

  // Tells the collector something about a process. Async-signal-safe.
  void Note(wire::ProcessNoteKind kind, int32_t pid, int32_t from, int64_t cpu_ns);

 private:
  template <class T>
  T* At(uint64_t offset) {
    return reinterpret_cast<T*>(base_ + offset);
  }
  bool ClaimRegion();
  bool MapRegion(int fd);
  void FillHeader();

  char path_[64] = {};
  wire::ControlPage* control_ = nullptr;
  wire::ProcessHeader* header_ = nullptr;
  uint8_t* base_ = nullptr;
  uint64_t mapped_bytes_ = 0;
  uint32_t region_ = 0;
  uint32_t ring_count_ = 0;
  pid_t pid_ = 0;
  int64_t start_ns_ = 0, start_cpu_ns_ = 0;
  bool forked_ = false;
  wire::ProcessHeader nowhere_ = {};  // of a process without a region
};

extern Session g_session;

// Thread CPU time of the calling thread, ns.
int64_t ThreadCpuNs();
int64_t ProcessCpuNs();
int64_t MonotonicNs();

}  // namespace gprofx::agent
