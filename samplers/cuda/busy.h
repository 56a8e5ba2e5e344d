// How busy GPUs are with what was launched while records were made, from the records as they come.
//
// A host may be far ahead of its GPU: what was launched in a window with records may run long after
// it, and what runs in it may have been launched before, without records. So work is put to the
// window that launched it, by its correlation id; the work of one window runs in one piece, between
// its first and its last operation, and there the GPU had nothing else to do. Our own thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gprofx::cuda {

class BusyMeter {
 public:
  struct Work {
    uint64_t busy_ns = 0;  // the union of operations
    uint64_t span_ns = 0;  // from the first of a window to its last
  };

  // A window with records begins; `latest`: the correlation id of a call just before it.
  void Begin(uint32_t latest) {
    before_ = now_;
    now_ = {latest, 0};
  }

  // Records come nearly in order of their ends: what overlaps the latest end counts once, and a record
  // that comes late adds nothing.
  void Add(uint32_t correlation, uint64_t start, uint64_t end) {
    if (start == 0 || end <= start) return;
    Window& window = IsAfter(correlation, now_.latest) ? now_ : before_;
    if (window.end == 0) window.end = start;
    if (end <= window.end) return;
    sum_.busy_ns += end - std::max(start, window.end);
    sum_.span_ns += end - window.end;
    window.end = end;
  }

  const Work& sum() const { return sum_; }  // so far

 private:
  struct Window {
    uint32_t latest = 0;
    uint64_t end = 0;  // of its latest operation; 0 = none came
  };
  // Ids wrap around.
  static bool IsAfter(uint32_t id, uint32_t other) { return static_cast<int32_t>(id - other) > 0; }

  Window before_, now_;
  Work sum_;
};

BusyMeter& TheBusyMeter();

}  // namespace gprofx::cuda
