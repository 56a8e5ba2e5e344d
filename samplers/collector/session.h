// Represents one recording as its processes see it: a shared memory for each user, and a socket on
// which processes ask for that memory and hand over perf events (wire/layout.h).
//
// Agents find the memory and the socket through GPROFX_SESSION. A region has a number over all
// memories: its user's index times kMaxProcesses, plus its index in the user's memory. start_ns is
// CLOCK_MONOTONIC; other times are ns since start_ns. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "core/model/ids.h"
#include "samplers/collector/drain/region.h"
#include "samplers/collector/processes/note_reader.h"
#include "samplers/collector/shared_memory.h"
#include "samplers/wire/layout.h"

namespace gprofx {

int64_t MonotonicNs();

struct RegionFacts {  // what the process reported, copied at one time
  int64_t pid = 0, parent_pid = 0, start_ns = 0;
};

class Session {
 public:
  static constexpr size_t kMaxUsers = 16;  // processes of further users are not sampled

  static Result<Session> Create(const wire::SamplingPlan& plan, bool sampling);
  Session(Session&& other) noexcept = default;
  Session& operator=(Session&&) = delete;
  ~Session();

  std::string EnvironmentValue() const;  // value of GPROFX_SESSION; call after SetGpu
  std::string MemoryPath() const;        // /proc/PID/fd/N of our own user's memory
  int socket() const { return socket_.get(); }
  uint64_t secret() const { return facts_.secret; }
  const wire::SessionFacts& facts() const { return facts_; }
  int64_t start_ns() const { return facts_.start_ns; }
  int64_t Now() const { return MonotonicNs() - facts_.start_ns; }

  void SetSampling(bool on);
  void EndSampling();  // ends the recording for good: agents delete timers and release CUPTI
  void SetOver();      // tells agents to stop; their samples still arrive
  void SetGpuLevel(uint32_t level);
  void SetPeriods(uint32_t periods);
  // Closes the socket. No request is answered from now on. A process that starts later finds no
  // socket and continues at once, instead of waiting for an answer.
  void CloseSocket() { socket_.Reset(); }
  // Sets what targets record about the GPU. Must be called before the first target starts. `spool`
  // is the descriptor of the file for code, which processes of our own user open; -1 = there is
  // none.
  void SetGpu(const wire::GpuPlan& plan, int spool, uint64_t spool_limit);

  // Returns the descriptor of the memory for the processes of `user`. Creates the memory at the
  // first call. Returns -1 if there are too many users or the memory cannot be created.
  int MemoryFor(uid_t user);
  // Returns the index of the user whose memory has this token. Returns none if no memory has it.
  std::optional<size_t> UserWithToken(uint64_t token) const;
  size_t users() const { return memories_.size(); }
  const SharedMemory& memory(size_t user) const { return memories_[user]; }

  uint32_t RegionCount() const {
    return static_cast<uint32_t>(memories_.size()) * wire::kMaxProcesses;
  }
  static uint32_t RegionOf(size_t user, uint32_t index) {
    return static_cast<uint32_t>(user) * wire::kMaxProcesses + index;
  }
  const SharedMemory& MemoryOf(uint32_t region) const {
    return memories_[region / wire::kMaxProcesses];
  }
  uint32_t RegionStateOf(uint32_t region) const;
  RegionFacts FactsOf(uint32_t region) const;
  Result<Region> MapRegion(uint32_t region) const;
  void FreeRegion(uint32_t region);

  // BegunNotes returns how many notes of processes about each other (wire::ProcessNote) were begun,
  // for each user. ReadNotes appends the notes before `begun`, oldest first. It returns how many
  // were overwritten before they could be read.
  using NotesBegun = std::vector<uint64_t>;  // by user: number of notes
  NotesBegun BegunNotes() const;
  uint64_t ReadNotes(const NotesBegun& begun, std::vector<ProcessNoteCopy>& notes);

  // CountWithoutRegion counts a process whose user got no memory. WithoutRegion returns the number
  // of such processes, plus those that found no free region.
  void CountWithoutRegion() { ++without_region_; }
  int64_t WithoutRegion() const;
  void CountNotSampled(wire::NotSampled reason, const std::string& program);
  std::vector<const wire::NotSampledTable*> NotSampledTables() const;

 private:
  Session() = default;
  Status AddMemory(uid_t user);
  void TellAll();

  UniqueFd socket_;
  wire::SessionFacts facts_{};
  Orders orders_;
  std::vector<SharedMemory> memories_;  // the first one is our own user's
  std::vector<NoteReader> readers_;     // one per memory
  std::string socket_name_;
  int spool_ = -1;
  uint32_t stretches_ = 0;  // number of recorded periods begun so far
  int64_t without_region_ = 0;
};

}  // namespace gprofx
