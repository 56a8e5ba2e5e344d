// Confines a program that is not part of gprof-x and that reads untrusted input.
//
// The program may read files and write to the descriptors that it was given. It has no network,
// creates no process, opens no file for writing, signals no other process, and has no capability.
// It gains none by executing another program. Its memory and CPU time are limited. The filter is
// that of the symbolizer's child, plus the calls that a loader needs.
#pragma once

#include <cstdint>

namespace gprofx {

struct ProgramLimits {
  uint64_t address_space = 0;  // bytes
  uint64_t cpu_seconds = 0;
};

// Confines the calling process permanently. Call it between fork and exec. Closes all descriptors
// except the standard streams. If it returns false, do not execute the program.
bool ConfineProgram(const ProgramLimits& limits);

}  // namespace gprofx
