// Finds the range of time that contains nearly all events of a trace. The times of the few other
// events cannot be right: CUPTI writes 0 for a time that it does not know, and one wrong bit makes
// a kernel last for 100 years. If many events of one kind are outside the range, they use another
// clock, which is an error. Pure; one thread. Times and durations are nanoseconds of the trace's
// own clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "core/base/result.h"

namespace gprofx::importers {

enum class TimeKind : uint8_t { kSpan, kWork, kWait, kMarker, kMemory, kKinds };

class UsualTimes {
 public:
  // No event of a real trace lasts longer than this, and no program pauses for longer within a
  // trace. ns.
  static constexpr int64_t kLongest = int64_t{30} * 86'400 * 1'000'000'000;

  void Add(TimeKind kind, int64_t start, int64_t end);

  // Chooses the range with the most events. Returns an error if it does not contain nearly all
  // events of every kind.
  Status Finish();

  bool has_any() const { return latest_ != nullptr; }
  // Call the next functions after Finish().
  bool empty() const { return first_ > last_; }
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }
  bool all() const { return all_; }  // true if no event is outside
  bool Holds(int64_t start) const { return start >= first_ && start <= last_; }
  // True if `time` is far from the chosen range. For the time of an event that was not added.
  bool IsFar(int64_t time) const {
    return !empty() && (time < first_ - kLongest || time > last_ + kLongest);
  }

 private:
  using Counts = std::array<int64_t, static_cast<size_t>(TimeKind::kKinds)>;
  struct Range {
    Counts events{};
    int64_t first = INT64_MAX, last = INT64_MIN;
    void Join(const Range& other);
    int64_t all() const;
  };
  static bool HoldsNearlyAll(const Range& range, const Range& whole);

  std::map<int64_t, Range> ranges_;  // key: start / kRangeNs
  Range* latest_ = nullptr;
  int64_t latest_key_ = 0;
  int64_t first_ = INT64_MAX, last_ = INT64_MIN;
  bool all_ = true;
};

}  // namespace gprofx::importers
