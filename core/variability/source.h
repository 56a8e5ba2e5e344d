// A file of events as the engine reads it, whatever wrote it: facts first, then all events in
// blocks, then any of these blocks again.
//
// Groups and lanes are tables of the file that grow as events are read; positions stay. Blocks are
// read whole; within a block events come in any order. Implementations are in formats/variability.
// Blocking; one thread per object.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/steps/phases.h"
#include "core/variability/event.h"
#include "core/variability/evidence.h"
#include "core/variability/host.h"

namespace gprofx::variability {

struct ProcessSteps {
  int64_t process = 0;
  uint32_t warm_up = 0;          // so many of the first are not like the others
  std::vector<TimeRange> steps;  // in order, without overlap; empty = none are known
  bool operator==(const ProcessSteps&) const = default;
};

struct FileFacts {
  std::string format;  // "gprof-x", "Nsight Systems", "Kineto", "Nsight Compute"
  std::string host;
  int64_t rank = -1;                  // in a distributed job; -1 = unknown
  std::optional<int64_t> clock_zero;  // real time of time 0; nothing = unknown
  bool has_times = true;              // false: events have an order, and no times
  bool tells_idle = false;            // ReadHost says what the host did while no GPU was busy
  std::vector<ProcessSteps> processes;
  std::vector<std::string> notes;  // what is missing
};

struct BlockId {
  uint32_t table = 0;
  int64_t first = 0, count = 0;
  auto operator<=>(const BlockId&) const = default;
};

using BlockSink = std::function<void(const BlockId&, std::span<const Event>)>;

class EventFile {
 public:
  virtual ~EventFile() = default;

  virtual const FileFacts& facts() const = 0;
  virtual std::span<const GroupKey> groups() const = 0;
  virtual std::span<const LaneId> lanes() const = 0;  // LaneId::file is not set

  // All blocks of part `part` of `parts`; together the parts have every block once.
  virtual Status ReadPart(size_t part, size_t parts, const BlockSink& sink) = 0;
  virtual Status ReadBlocks(std::span<const BlockId> blocks, const BlockSink& sink) = 0;
  // Of processes with steps; none where the format tells nothing. Once for a file; what of it
  // cannot be read adds a line to the notes of facts().
  virtual Result<Evidence> ReadEvidence() { return Evidence(); }
  // What the hosts of processes with steps did in a window of time, on the clock of the file.
  virtual Result<HostActivity> ReadHost(TimeRange) { return HostActivity(); }
  // Everything is in memory, so opening it again would cost more than keeping it; bytes.
  virtual size_t memory() const { return 0; }
};

// The same on every rank: who reads what follows from it (units.h).
struct FileEntry {
  std::string path;
  uint64_t size = 0;  // bytes
  size_t parts = 1;   // it may be read in so many
};

using OpenFile = std::function<Result<std::unique_ptr<EventFile>>(const std::string& path)>;

}  // namespace gprofx::variability
