// How busy GPUs are with what was launched while records were made, from the records as they come.
//
// A host may be far ahead of its GPU: what was launched in a window with records may run long after
// it, when others have begun and ended, and what runs in it may have been launched before, without
// records. So work is put to the window that launched it, by its correlation id; the work of one
// window runs in one piece, between its first and its last operation, and there the GPU had nothing
// else to do. Windows with little work tell nothing: a program that loads its data does not say
// what will limit it. Our own thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace gprofx::cuda {

// Launches, or operations, a second: what costs nothing that could be noticed.
inline constexpr double kLittleWork = 3000;

inline bool IsLittleWork(uint64_t count, int64_t ns) {
  return static_cast<double>(count) * 1e9 < kLittleWork * static_cast<double>(ns);
}

class BusyMeter {
 public:
  static constexpr uint64_t kRecentNs = 400'000'000;  // of GPU work

  struct Work {
    uint64_t busy_ns = 0;  // the union of operations
    uint64_t span_ns = 0;  // from the first of a window to its last, at most kRecentNs and one more
    uint64_t operations = 0, launches = 0;  // of those windows
  };

  // A window with records begins; `latest`: the correlation id of a call just before it, as far as
  // one was told: launches between windows may have none.
  void Begin(uint32_t latest);
  void End(int64_t ns, uint64_t launches);
  // In any order: records come thread by thread.
  void Add(uint32_t correlation, uint64_t start, uint64_t end);
  // Of the latest windows of which something is known.
  Work Recent();

 private:
  static constexpr size_t kMaxWindows = 16, kMaxOperations = size_t{1} << 14;
  struct Operation {
    uint64_t start, end;
  };
  struct Window {
    uint32_t latest;  // before it
    int64_t ns = 0;
    uint64_t launches = 0, count = 0;   // of all its operations, as far as they came
    std::vector<Operation> operations;  // the first of them
    bool measured = false;
    uint64_t busy_ns = 0, span_ns = 0;  // where it is
  };
  static void Measure(Window& window);

  std::deque<Window> windows_;
  uint32_t newest_ = 0;  // correlation id of any operation so far
};

BusyMeter& TheBusyMeter();

}  // namespace gprofx::cuda
