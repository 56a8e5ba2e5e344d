// What an interrupt of perf's timer takes from the thread that it interrupts: 2 to 5 us on physical
// machines, 20 to 80 in virtual ones, where the hypervisor sets each timer.
//
// A thread that does nothing but read the clock sees an interrupt as a gap. The median counts, so
// what else goes on in the machine hardly matters. Without signals; the caches that a program loses
// are not in it.
#pragma once

#include <cstdint>
#include <optional>

namespace gprofx {

// ns; nothing where perf events may not be opened or too few came. Keeps the calling thread busy
// for 15 to 40 ms.
std::optional<int64_t> MeasureInterrupt();

}  // namespace gprofx
