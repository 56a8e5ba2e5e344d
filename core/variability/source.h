// Defines the interface of a file of events, independent of its format. facts() is valid once the
// file is open. ReadPart() reads all events of a part in blocks; afterwards, ReadBlocks() can read
// any of these blocks again.
//
// groups() and lanes() are tables of the file that grow while events are read; positions in them do
// not change. Blocks are read as a whole; events within a block are in no order. Implementations
// are in formats/variability. Blocking; one thread per object.
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
  uint32_t warm_up = 0;          // number of first steps that are not typical
  std::vector<TimeRange> steps;  // sorted, not overlapping; empty = unknown
  bool operator==(const ProcessSteps&) const = default;
};

struct FileFacts {
  std::string format;  // "gprof-x", "Nsight Systems", "Kineto", "Nsight Compute"
  std::string host;
  int64_t rank = -1;  // in a distributed job; -1 = unknown
  // Real time (ns) at time 0 of the file's clock; nullopt = unknown.
  std::optional<int64_t> clock_zero;
  bool has_times = true;  // false: events are ordered but have no times
  // True if ReadHost() can say what the hosts did while their GPUs were idle.
  bool tells_idle = false;
  std::vector<ProcessSteps> processes;
  std::vector<std::string> notes;  // data that is missing in the file, one line each
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
  virtual std::span<const LaneId> lanes() const = 0;  // LaneId::file is unset

  // Reads all blocks of part `part` of `parts`. Each block is in exactly one part.
  virtual Status ReadPart(size_t part, size_t parts, const BlockSink& sink) = 0;
  virtual Status ReadBlocks(std::span<const BlockId> blocks, const BlockSink& sink) = 0;
  // Returns the evidence of each process with steps; empty if the format has none. Call once per
  // file. If some evidence cannot be read, adds a line to the notes in facts().
  virtual Result<Evidence> ReadEvidence() { return Evidence(); }
  // Returns what the hosts of processes with steps did in a time window on the file's clock.
  virtual Result<HostActivity> ReadHost(TimeRange) { return HostActivity(); }
  // Returns the size of the events in bytes if all of them are held in memory, otherwise 0. A file
  // that is held in memory stays open, because opening it again is expensive.
  virtual size_t memory() const { return 0; }
};

// A file to analyze. Its fields must be the same on every rank, because they decide which rank
// reads what (units.h).
struct FileEntry {
  std::string path;
  uint64_t size = 0;  // bytes
  size_t parts = 1;   // maximum number of parts in which the file can be read
};

using OpenFile = std::function<Result<std::unique_ptr<EventFile>>(const std::string& path)>;

}  // namespace gprofx::variability
