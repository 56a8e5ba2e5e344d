// Holds the PC samples of a run, as rows of samples that have the same cubin, function, offset,
// stall reason, kernel, thread and confidence.
//
// Grows only when a sample needs a new row, up to kMaxRows rows; Add reports when it is full. Nodes
// are those of the raw profile. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/held_bytes.h"
#include "core/events/events.h"
#include "core/model/ids.h"

namespace gprofx {

struct PcRowKey {
  CubinId cubin;  // 0 = there was no room for its module
  FunctionId function;
  uint64_t offset = 0;
  StringId stall;
  NodeId node;  // node of the kernel; 0 = not attributed
  ThreadId thread;
  PcConfidence confidence = PcConfidence::kNone;
  bool operator==(const PcRowKey&) const = default;
};

struct PcRow {
  PcRowKey key;
  int64_t samples = 0, latency = 0;
};

class PcTable {
 public:
  static constexpr size_t kMaxRows = 2'000'000, kMaxNameBytes = size_t{64} << 20;

  // Adds samples to the row with this key. Returns false if a new row is needed and there is no
  // room for one.
  bool Add(const PcRowKey& key, uint64_t samples, uint64_t latency);
  // Stores the mangled name of a function. The first name that a function is given stays.
  void AddName(CubinId cubin, FunctionId function, const std::string& name);

  const std::vector<PcRow>& rows() const { return rows_; }
  // Returns the mangled name of the function; "" if it is unknown.
  const std::string& NameOf(CubinId cubin, FunctionId function) const;

  size_t bytes() const {  // approximate
    return HeldBytes(rows_) + HeldBytes(told_) + HeldBytes(index_) + HeldBytes(names_) +
           name_bytes_;
  }

  // Appends the samples that were added since the last call to `out`, as rows of
  // Stream::kPcSamples.
  void AppendDelta(EventTable& out);

 private:
  struct Hash {
    size_t operator()(const PcRowKey& key) const noexcept;
  };
  struct Told {
    int64_t samples = 0, latency = 0;
    bool dirty = false;
  };
  std::vector<PcRow> rows_;
  std::vector<Told> told_;
  std::vector<uint32_t> dirty_;
  std::unordered_map<PcRowKey, uint32_t, Hash> index_;
  std::map<std::pair<CubinId, FunctionId>, std::string> names_;
  size_t name_bytes_ = 0;
};

}  // namespace gprofx
