// One piece of GPU work, and what it is compared with.
//
// Executions are compared within a group only: the same kernel with the same launch configuration
// and shape on the same model of device, or copies of the same size and direction. A lane is a GPU
// of a process: what happens there happens in an order. Times are ns on the clock of the file,
// until the plan adds the file's offset. Plain data; pure.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace gprofx::variability {

enum class Kind : uint8_t { kCompute, kCollective, kCopy, kSet };
inline constexpr size_t kKinds = 4;
std::string_view KindWord(Kind kind);  // "compute", "collective", "copy", "set"

struct GroupKey {
  Kind kind = Kind::kCompute;
  std::string device;  // its model, "" = unknown
  std::string name;    // of the kernel in full; "Memcpy HtoD"
  std::string shape;   // the operator and its dimensions, bytes, message; "" = unknown
  uint32_t grid[3] = {}, block[3] = {};
  auto operator<=>(const GroupKey&) const = default;
};

struct Hash128 {
  uint64_t high = 0, low = 0;
  auto operator<=>(const Hash128&) const = default;
};

// A text that is equal where the keys are, and back ("" in all fields where it is none).
std::string TextOf(const GroupKey& key);
GroupKey KeyOf(std::string_view text);
Hash128 HashOf(std::string_view text);

struct LaneId {
  uint32_t file = 0;    // position among the sorted paths
  int64_t process = 0;  // pid, 0 = unknown
  int64_t device = 0;   // ordinal
  auto operator<=>(const LaneId&) const = default;
};

// Times of a broken file may be anything; sums and differences of a few of these do not overflow.
inline constexpr int64_t kTimeLimit = int64_t{1} << 61;
inline int64_t TimeWithin(int64_t time) { return std::clamp(time, -kTimeLimit, kTimeLimit); }
// Of a range; below 0 where it ends before it begins.
inline int64_t DurationWithin(int64_t begin, int64_t end) {
  return TimeWithin(TimeWithin(end) - TimeWithin(begin));
}
// Sums of absurd durations wrap around, the same in any order.
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

// log2(value) in units of 1/65536, by integers alone: the same on every machine. 0 for values < 1.
inline constexpr int64_t kLogOne = 65536;
int64_t LogOf(int64_t value);

}  // namespace gprofx::variability
