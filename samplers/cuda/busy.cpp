#include "samplers/cuda/busy.h"

#include <algorithm>

namespace gprofx::cuda {
namespace {

// Ids wrap around.
bool IsAfter(uint32_t id, uint32_t other) { return static_cast<int32_t>(id - other) > 0; }

}  // namespace

void BusyMeter::Begin(uint32_t latest) {
  latest_ = latest;
  operations_.clear();
}

void BusyMeter::Add(uint32_t correlation, uint64_t start, uint64_t end) {
  if (start == 0 || end <= start || !IsAfter(correlation, latest_)) return;
  if (operations_.size() < kMostOperations) operations_.push_back({start, end});
}

BusyMeter::Work BusyMeter::OfWindow() {
  Work work;
  if (operations_.empty()) return work;
  std::sort(operations_.begin(), operations_.end(),
            [](const Operation& a, const Operation& b) { return a.start < b.start; });
  uint64_t end = operations_.front().start;
  for (const Operation& o : operations_) {
    if (o.end <= end) continue;
    work.busy_ns += o.end - std::max(o.start, end);
    end = o.end;
  }
  work.span_ns = end - operations_.front().start;
  work.operations = operations_.size();
  return work;
}

BusyMeter& TheBusyMeter() {
  static BusyMeter* meter = new BusyMeter;
  return *meter;
}

}  // namespace gprofx::cuda
