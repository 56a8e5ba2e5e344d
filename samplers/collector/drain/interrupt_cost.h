// Measures for how long an interrupt of perf's timer stops the interrupted thread. That is 2 to 5
// us on physical machines, and 20 to 80 us in virtual ones, where the hypervisor sets each timer.
//
// A thread that does nothing but read the clock sees an interrupt as a gap. The result is the
// median of the gaps, so other activity on the machine hardly matters. The cost of signals and of
// lost cache contents is not included.
#pragma once

#include <cstdint>
#include <optional>

namespace gprofx {

// Returns the duration in ns. Returns none if perf events may not be opened or too few interrupts
// occurred. Keeps the calling thread busy for 15 to 40 ms.
std::optional<int64_t> MeasureInterrupt();

}  // namespace gprofx
