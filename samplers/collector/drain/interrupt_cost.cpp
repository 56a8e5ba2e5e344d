#include "samplers/collector/drain/interrupt_cost.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/base/quantile.h"
#include "core/base/unique_fd.h"
#include "samplers/collector/session.h"

namespace gprofx {
namespace {

constexpr uint64_t kPeriodNs = 500'000;
constexpr int64_t kLongestNs = 40'000'000;
constexpr size_t kEnough = 31, kMin = 11;

// A perf event on the calling thread. Each of its interrupts writes an empty record into a ring of
// one page.
class Ticks {
 public:
  Ticks() : page_bytes_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_TASK_CLOCK;
    attr.sample_period = kPeriodNs;
    attr.wakeup_events = 1;  // wake at each sample, as the program's events do by a signal
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    fd_.Reset(
        static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
    if (!fd_) return;
    void* mapped = mmap(nullptr, 2 * page_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
    if (mapped != MAP_FAILED) page_ = static_cast<perf_event_mmap_page*>(mapped);
  }
  ~Ticks() {
    if (page_ != nullptr) munmap(page_, 2 * page_bytes_);
  }
  Ticks(const Ticks&) = delete;
  Ticks& operator=(const Ticks&) = delete;

  explicit operator bool() const { return page_ != nullptr; }
  // Returns a number that increases with each interrupt.
  uint64_t Seen() const {
    return std::atomic_ref<__u64>(page_->data_head).load(std::memory_order_relaxed);
  }

 private:
  const size_t page_bytes_;
  UniqueFd fd_;
  perf_event_mmap_page* page_ = nullptr;
};

}  // namespace

std::optional<int64_t> MeasureInterrupt() {
  const Ticks ticks;
  if (!ticks) return std::nullopt;
  std::vector<int64_t> gaps;
  gaps.reserve(kEnough);
  uint64_t seen = ticks.Seen();
  int64_t before = MonotonicNs(), last = before;
  const int64_t end = before + kLongestNs;
  while (gaps.size() < kEnough && last < end) {
    const uint64_t latest = ticks.Seen();
    const int64_t now = MonotonicNs();
    if (latest != seen) gaps.push_back(now - before);  // the interrupt came after `before`
    seen = latest;
    before = last;
    last = now;
  }
  if (gaps.size() < kMin) return std::nullopt;
  return Median(std::move(gaps));
}

}  // namespace gprofx
