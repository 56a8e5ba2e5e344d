// Includes the header of the present processor. These headers contain everything that is specific
// to a processor: register numbers, the layout of signal frames, the form of a call, and the
// instructions for loads and system calls.
//
// All headers declare the same names in namespace gprofx::agent::machine. No other code depends on
// the processor.
#pragma once

#if defined(__x86_64__)
#include "samplers/agent/machine/x86_64.h"
#elif defined(__aarch64__)
#include "samplers/agent/machine/aarch64.h"
#else
#error "the recorder knows x86-64 and aarch64 only, both with 64 bits"
#endif
