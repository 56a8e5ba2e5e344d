// Detects what this machine's kernel offers a sampler: the tick rate, and whether perf task-clock
// events may be opened.
//
// DetectMachine() asks the kernel: it reads the resolution of a clock and tries one
// perf_event_open. That takes microseconds and reads no file.
#pragma once

#include <cstdint>
#include <string_view>

namespace gprofx {

struct Machine {
  uint32_t kernel_hz = 250;  // CONFIG_HZ: POSIX CPU timers fire at most this often
  bool perf_allowed =
      false;  // task-clock events without kernel mode, removed on exec (Linux 5.13 and later)
};

Machine DetectMachine();

// Returns the tick rate in Hz. `resolution_ns` is the resolution of CLOCK_MONOTONIC_COARSE, which
// is one tick. Returns 250 if it is implausible.
uint32_t HzFromTick(int64_t resolution_ns);

// Converts a kernel release to a number: "6.1.0-18-amd64" gives 601. Returns 0 if it is not a
// version.
int KernelNumber(std::string_view release);

}  // namespace gprofx
