// What workloads do by the instruction, a header for each processor with the same names.
//   GPROFX_FILL_AND_SPIN(word, rounds)  code that fills 8 KiB of its stack with `word`, then spins
//   GPROFX_FILL_AND_CALL(word, call)    the same, then calls; it keeps no frame pointer
//   GPROFX_RAW_RETURN                   the return from a signal, where the kernel wants one
//   GPROFX_FAULT                        a load of address 0 at `fault_here`; behind it is
//   `fault_done`
#pragma once

#include <ucontext.h>

#include <cstdint>

#if defined(__x86_64__)
#include "x86_64.h"
#else
#include "aarch64.h"
#endif
