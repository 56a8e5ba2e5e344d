// How busy GPUs are with what was launched while records were made, from the records as they come.
//
// A host may be far ahead of its GPU: what was launched in a window with records may run long after
// it, and what runs in it may have been launched before, without records. So work is put to the
// window that launched it, by its correlation id; the work of one window runs in one piece, between
// its first and its last operation, and there the GPU had nothing else to do. Our own thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gprofx::cuda {

class BusyMeter {
 public:
  struct Work {
    uint64_t busy_ns = 0;  // the union of operations
    uint64_t span_ns = 0;  // from the first of a window to its last
    uint64_t operations = 0;
  };

  // A window with records begins; `latest`: the correlation id of a call just before it.
  void Begin(uint32_t latest);
  // In any order: records come thread by thread. Those of windows before are not looked at.
  void Add(uint32_t correlation, uint64_t start, uint64_t end);
  Work OfWindow();  // as much of it as came

 private:
  // Of a window that never ends; the rest of its work is not looked at.
  static constexpr size_t kMostOperations = size_t{1} << 16;
  struct Operation {
    uint64_t start, end;
  };

  uint32_t latest_ = 0;
  std::vector<Operation> operations_;
};

BusyMeter& TheBusyMeter();

}  // namespace gprofx::cuda
