// Includes the facts about the present processor that both sides need: numbers in ELF files and
// seccomp filters, and system calls that only one processor has. There is one header per processor,
// with the same names in namespace gprofx::wire.
#pragma once

#if defined(__x86_64__)
#include "samplers/wire/machine/x86_64.h"
#elif defined(__aarch64__)
#include "samplers/wire/machine/aarch64.h"
#else
#error "gprof-x knows x86-64 and aarch64 only, both with 64 bits"
#endif
