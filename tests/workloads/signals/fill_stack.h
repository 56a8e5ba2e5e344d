// A stack that misleads who looks through it: code without unwind rows above 8 KiB of one word.
#pragma once

#include <cstdint>

#include "machine/machine.h"

// Fills 8 KiB of its stack with `word`, then spins; has no unwind rows.
extern "C" void FillAndSpin(uint64_t word, uint64_t rounds);
asm(".text\n.globl FillAndSpin\nFillAndSpin:\n" GPROFX_FILL_AND_SPIN);
