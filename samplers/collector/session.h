// The memory that agents and collector share, and its control page (samplers/wire/layout.h).
//
// A sealed, sparse memfd: the target can neither shrink nor grow it, so no look at it can fault.
// Agents find it by GPROFX_SESSION, see wire/layout.h. Owned by the collector; it goes when the last
// process that mapped it is gone. One thread. Times: start_ns is CLOCK_MONOTONIC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/ids.h"
#include "core/result.h"
#include "samplers/collector/join.h"
#include "samplers/wire/layout.h"

namespace gprofx {

int64_t MonotonicNs();

struct ProcessNoteCopy {
  wire::ProcessNoteKind kind;
  int64_t pid, from, cpu_ns;
  HostNs time;
};

class Session {
 public:
  static Result<Session> Create(const wire::SamplingPlan& plan, bool sampling);
  Session(Session&& other) noexcept;
  Session& operator=(Session&&) = delete;
  ~Session();

  std::string EnvironmentValue() const;  // of GPROFX_SESSION
  std::string MemoryPath() const;        // /proc/PID/fd/N
  wire::ControlPage& control() { return *control_; }
  int memory() const { return memory_.get(); }
  int socket() const { return socket_.get(); }
  uint64_t token() const { return token_; }
  JoinAnswer join() const { return {memory(), secret_}; }
  int64_t start_ns() const { return start_ns_; }
  int64_t Now() const { return MonotonicNs() - start_ns_; }

  void SetSampling(bool on);
  void EndSampling();  // for good: timers end, and CUPTI is left
  // From now on nobody is answered: a process that begins finds so at once, instead of waiting.
  void CloseSocket() { socket_.Reset(); }
  // What targets shall do on the GPU side; before the first of them starts. `spool_path` "" = there
  // is no file for code.
  void SetGpu(const wire::GpuPlan& plan, const std::string& spool_path, uint64_t spool_limit);
  // What processes said about each other since the last look, up to note number `end` (NotesBegun),
  // oldest first. Returns how many were overwritten unread.
  uint64_t NotesBegun() const { return control_->notes.load(std::memory_order_acquire); }
  static constexpr int kMostWaits = 20;  // looks at an unfinished note
  uint64_t ReadNotes(uint64_t end, std::vector<ProcessNoteCopy>& notes);
  uint32_t RegionStateOf(uint32_t index) const;
  // Gives a region's pages back and lets the next process have it.
  void FreeRegion(uint32_t index);

 private:
  Session() = default;

  UniqueFd memory_, socket_;
  wire::ControlPage* control_ = nullptr;
  uint64_t token_ = 0, secret_ = 0;  // own copies: the target can write the page
  std::string socket_name_;
  int64_t start_ns_ = 0;
  uint64_t notes_read_ = 0;
  uint32_t stretches_ = 0;  // begun
  int waits_ = 0;  // for the note after it
};

}  // namespace gprofx
