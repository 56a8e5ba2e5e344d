#include "samplers/collector/processes/machine.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

#include <charconv>

#include "core/base/unique_fd.h"

namespace gprofx {
namespace {

constexpr uint32_t kUsualHz = 250;

bool PerfOpens() {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = 1'000'000;
  attr.disabled = 1;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.remove_on_exec = 1;
  const UniqueFd fd(
      static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  return static_cast<bool>(fd);
}

}  // namespace

uint32_t HzFromTick(int64_t resolution_ns) {
  if (resolution_ns < 500'000 || resolution_ns > 20'000'000) return kUsualHz;
  return static_cast<uint32_t>((1'000'000'000 + resolution_ns / 2) / resolution_ns);
}

int KernelNumber(std::string_view release) {
  int major = 0, minor = 0;
  const char* end = release.data() + release.size();
  const auto first = std::from_chars(release.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return 0;
  if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc()) return 0;
  if (major < 0 || major > 1000 || minor < 0) return 0;
  return major * 100 + (minor > 99 ? 99 : minor);
}

Machine DetectMachine() {
  Machine machine;
  timespec tick{};
  if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_sec == 0) {
    machine.kernel_hz = HzFromTick(tick.tv_nsec);
  }
  utsname name{};
  const int kernel = uname(&name) == 0 ? KernelNumber(name.release) : 0;
  machine.perf_allowed = kernel >= 513 && PerfOpens();
  return machine;
}

}  // namespace gprofx
