// What the recorder has to know of the processor, one header for each: names of registers, where
// signal frames keep them, what a call looks like, loads and system calls by the instruction.
//
// All of them declare the same names in namespace gprofx::agent::machine, and nothing else asks
// which processor it is.
#pragma once

#if defined(__x86_64__)
#include "samplers/agent/machine/x86_64.h"
#elif defined(__aarch64__)
#include "samplers/agent/machine/aarch64.h"
#else
#error "the recorder knows x86-64 and aarch64 only, both with 64 bits"
#endif
