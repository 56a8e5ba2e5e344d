// Computes the permissions of files that are made from profiles and traces: only users who may read
// the sources may read the result.
//
// The process has one mode for new files. Each file that it reads takes permissions away from this
// mode, so writers need not know the sources. Any thread.
#pragma once

#include <sys/types.h>

namespace gprofx {

// Takes away what `mode`, that of a file opened for reading, does not allow.
void NoteSourceMode(mode_t mode);

// Returns the mode for a new file. It allows what the umask and the modes of all files read so far
// allow. Never executable.
mode_t DerivedMode();

}  // namespace gprofx
