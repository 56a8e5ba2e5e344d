// Confines a program that reads untrusted input and is not part of gprof-x.
//
// The program may read files and write to the descriptors that it was given. It has no network,
// creates no process, opens no file for writing, signals no other process, and has no capability.
// Executing another program gives it none. Its memory and CPU time are limited. The filter is that
// of the symbolizer's child, plus the calls that a loader needs.
#pragma once

#include <cstdint>

namespace gprofx {

struct ProgramLimits {
  uint64_t address_space = 0;  // bytes
  uint64_t cpu_seconds = 0;
};

// Confines the calling process permanently, and closes all descriptors except the standard streams.
// Call it between fork and exec. If it returns false, do not execute the program.
bool ConfineProgram(const ProgramLimits& limits);

}  // namespace gprofx
