// Assembler fragments shared by the libraries in the target and the helper, as string literals for
// C and C++. One header per processor, with the same names.
//   GPROFX_OLDEST_GLIBC  symbol version that every glibc for the processor has
//   GPROFX_JUMP(place)   jumps to the address stored in the variable named `place`
//   GPROFX_START         _start of a program without constructors: calls __libc_start_main(main)
#pragma once

#if defined(__x86_64__)
#include "samplers/machine/x86_64.h"
#elif defined(__aarch64__)
#include "samplers/machine/aarch64.h"
#else
#error "gprof-x knows x86-64 and aarch64 only, both with 64 bits"
#endif
