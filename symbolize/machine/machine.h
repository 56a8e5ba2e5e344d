// Includes the header with the processor-specific facts for the symbolizer's sandbox. There is one
// header per processor; all define the same names in namespace gprofx.
#pragma once

#if defined(__x86_64__)
#include "symbolize/machine/x86_64.h"
#elif defined(__aarch64__)
#include "symbolize/machine/aarch64.h"
#else
#error "gprof-x knows x86-64 and aarch64 only, both with 64 bits"
#endif
