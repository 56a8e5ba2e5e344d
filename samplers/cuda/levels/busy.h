// Measures how busy GPUs are with the work that was launched while records were made. Uses the
// records as they arrive.
//
// A host may be far ahead of its GPU. Work that was launched in a window with records may run long
// after the window, when other windows have begun and ended. Work that runs in a window may have
// been launched before it, without records. Work is therefore assigned to the window that launched
// it, by its correlation id. The work of one window runs in one piece, between its first and its
// last operation; in that time the GPU had nothing else to do. Windows with little work are
// ignored, because a program that loads its data does not show its bottleneck. For our own thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace gprofx::cuda {

// Number of launches or operations per second up to which recording has no noticeable cost.
inline constexpr double kLittleWork = 3000;

inline bool IsLittleWork(uint64_t count, int64_t ns) {
  return static_cast<double>(count) * 1e9 < kLittleWork * static_cast<double>(ns);
}

class BusyMeter {
 public:
  static constexpr uint64_t kRecentNs = 400'000'000;  // span of GPU work that Recent sums up

  struct Work {
    uint64_t busy_ns = 0;  // time in which at least one operation ran
    // From the first to the last operation of each window, summed up to kRecentNs.
    uint64_t span_ns = 0;
    uint64_t operations = 0, launches = 0;  // totals of those windows
  };

  // Begins a window with records. `latest` is the correlation id of a call just before the window,
  // if known. (Launches between windows may have no id.)
  void Begin(uint32_t latest);
  void End(int64_t ns, uint64_t launches);
  // Adds an operation on the GPU. Operations may be added in any order, because records arrive
  // thread by thread.
  void Add(uint32_t correlation, uint64_t start, uint64_t end);
  // Returns the sums over the latest windows for which records have arrived.
  Work Recent();

 private:
  static constexpr size_t kMaxWindows = 16, kMaxOperations = size_t{1} << 14;
  struct Operation {
    uint64_t start, end;
  };
  struct Window {
    uint32_t latest;  // correlation id of a call before the window
    int64_t ns = 0;
    uint64_t launches = 0, count = 0;   // count: operations that have arrived so far
    std::vector<Operation> operations;  // the first ones that arrived
    bool measured = false;
    uint64_t busy_ns = 0, span_ns = 0;  // valid once the window was measured
  };
  static void Measure(Window& window);

  std::deque<Window> windows_;
  uint32_t newest_ = 0;  // highest correlation id of any operation
};

BusyMeter& TheBusyMeter();

}  // namespace gprofx::cuda
