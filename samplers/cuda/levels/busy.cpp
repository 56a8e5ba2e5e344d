#include "samplers/cuda/levels/busy.h"

#include <algorithm>

namespace gprofx::cuda {
namespace {

// True if `id` is later than `other`. Correlation ids wrap around.
bool IsAfter(uint32_t id, uint32_t other) { return static_cast<int32_t>(id - other) > 0; }

}  // namespace

void BusyMeter::Begin(uint32_t latest) {
  if (windows_.size() == kMaxWindows) windows_.pop_front();
  windows_.emplace_back().latest = IsAfter(newest_, latest) ? newest_ : latest;
}

void BusyMeter::End(int64_t ns, uint64_t launches) {
  if (windows_.empty()) return;
  windows_.back().ns = ns;
  windows_.back().launches = launches;
}

void BusyMeter::Add(uint32_t correlation, uint64_t start, uint64_t end) {
  if (IsAfter(correlation, newest_)) newest_ = correlation;
  if (start == 0 || end <= start) return;
  const auto window = std::find_if(windows_.rbegin(), windows_.rend(), [&](const Window& each) {
    return IsAfter(correlation, each.latest);
  });
  if (window == windows_.rend()) return;
  ++window->count;
  if (window->operations.size() == kMaxOperations) return;
  window->operations.push_back({start, end});
  window->measured = false;
}

void BusyMeter::Measure(Window& window) {
  window.measured = true;
  window.busy_ns = window.span_ns = 0;
  std::vector<Operation>& operations = window.operations;
  if (operations.empty()) return;
  std::sort(operations.begin(), operations.end(),
            [](const Operation& a, const Operation& b) { return a.start < b.start; });
  uint64_t end = operations.front().start;
  for (const Operation& o : operations) {
    if (o.end <= end) continue;
    window.busy_ns += o.end - std::max(o.start, end);
    end = o.end;
  }
  window.span_ns = end - operations.front().start;
}

BusyMeter::Work BusyMeter::Recent() {
  Work work;
  for (auto window = windows_.rbegin(); window != windows_.rend(); ++window) {
    if (work.span_ns >= kRecentNs) break;
    if (IsLittleWork(std::max(window->count, window->launches), window->ns)) continue;
    if (!window->measured) Measure(*window);
    work.busy_ns += window->busy_ns;
    work.span_ns += window->span_ns;
    work.operations += window->count;
    work.launches += window->launches;
  }
  return work;
}

BusyMeter& TheBusyMeter() {
  static BusyMeter* meter = new BusyMeter;
  return *meter;
}

}  // namespace gprofx::cuda
