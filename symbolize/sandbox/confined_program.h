// Confines a program that is not ours and reads what anybody may have made.
//
// It may read files and write to the descriptors that it was given. It has no network, makes no
// process, opens no file for writing, signals nobody, has no capability, and gains none by
// executing another program; its memory and its processor time are limited. Same filter as the
// symbolizer's child, with what a loader needs.
#pragma once

#include <cstdint>

namespace gprofx {

struct ProgramLimits {
  uint64_t address_space = 0;  // bytes
  uint64_t cpu_seconds = 0;
};

// For the calling process and for good: between fork and exec. Closes all but the standard streams.
// False: do not execute it.
bool ConfineProgram(const ProgramLimits& limits);

}  // namespace gprofx
