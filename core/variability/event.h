// Defines a piece of GPU work (Event), and the group of comparable executions to which it belongs
// (GroupKey).
//
// An execution is one event: one run of a kernel or copy. Executions are only compared within a
// group: runs of the same kernel with the same launch configuration and shape on the same device
// model, or copies of the same size and direction. A lane is one GPU of one process. Times are ns
// on the file's clock until the offset of the file (PlanLane::offset) is added. Plain data; pure.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/arithmetic.h"

namespace gprofx::variability {

enum class Kind : uint8_t { kCompute, kCollective, kCopy, kSet };
inline constexpr size_t kKinds = 4;
std::string_view KindWord(Kind kind);  // "compute", "collective", "copy", "set"

struct GroupKey {
  Kind kind = Kind::kCompute;
  std::string device;  // device model, "" = unknown
  std::string name;    // full kernel name, or "Memcpy HtoD"
  // Operator with its dimensions, bytes of a copy, or message size of a collective; "" = unknown.
  std::string shape;
  uint32_t grid[3] = {}, block[3] = {};
  auto operator<=>(const GroupKey&) const = default;
};

struct Hash128 {
  uint64_t high = 0, low = 0;
  auto operator<=>(const Hash128&) const = default;
};

// Encodes a key as a text; equal keys have equal texts. KeyOf() is the inverse and returns a key
// with empty fields if `text` is not an encoded key.
std::string TextOf(const GroupKey& key);
GroupKey KeyOf(std::string_view text);
Hash128 HashOf(std::string_view text);

struct LaneId {
  uint32_t file = 0;    // position in the sorted list of files
  int64_t process = 0;  // pid, 0 = unknown
  int64_t device = 0;   // ordinal of the GPU
  auto operator<=>(const LaneId&) const = default;
};

// Returns the ns from `begin` to `end`; negative if `end` is before `begin`.
inline int64_t DurationWithin(int64_t begin, int64_t end) {
  return Bounded(Bounded(end) - Bounded(begin));
}
// Adds `more` to `sum`. Overflow from absurd durations wraps around, so the order of additions does
// not matter.
inline void AddWrapped(int64_t& sum, int64_t more) {
  sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(more));
}

struct Event {
  int64_t start = 0, duration = 0;
  uint32_t group = 0, lane = 0;  // positions in the tables of the file
  uint32_t stream = 0;
  Kind kind = Kind::kCompute;

  int64_t end() const { return start + duration; }
};

// Returns log2(value) in units of 1 / kLogOne; 0 for values below 1. Uses integers only, which give
// the same result on every machine.
inline constexpr int64_t kLogOne = 65536;
int64_t LogOf(int64_t value);

}  // namespace gprofx::variability
