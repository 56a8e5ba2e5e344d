// Permissions of files that are made from profiles and traces. Only users who may read the sources
// may read the result.
//
// The process has one mode for new files. Each file that is read narrows it, so no writer can
// forget a source. Any thread.
#pragma once

#include <sys/types.h>

namespace gprofx {

void NoteSourceMode(mode_t mode);  // narrows the mode; `mode` is that of a file opened for reading

// Returns the mode for a new file. It allows what the umask and all files read so far allow. Never
// executable.
mode_t DerivedMode();

}  // namespace gprofx
