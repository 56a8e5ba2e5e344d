// The parts in assembler that libraries in the target and the helper have in common, as texts: C
// and C++ read this. One header for each processor, with the same names.
//   GPROFX_OLDEST_GLIBC  the version of what every glibc for the processor has
//   GPROFX_JUMP(place)   goes on where the pointer of the name `place` points to
//   GPROFX_START         _start of a program that has nothing to construct: calls __libc_start_main
//                        with main
#pragma once

#if defined(__x86_64__)
#include "samplers/machine/x86_64.h"
#elif defined(__aarch64__)
#include "samplers/machine/aarch64.h"
#else
#error "gprof-x knows x86-64 and aarch64 only, both with 64 bits"
#endif
