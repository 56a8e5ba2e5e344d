// What both sides must know of the processor, one header for each with the same names in namespace
// gprofx::wire: its numbers in ELF files and seccomp filters, and system calls that one has and the
// other has not.
#pragma once

#if defined(__x86_64__)
#include "samplers/wire/machine/x86_64.h"
#elif defined(__aarch64__)
#include "samplers/wire/machine/aarch64.h"
#else
#error "gprof-x knows x86-64 and aarch64 only, both with 64 bits"
#endif
