// Who may read what is made of profiles and traces: nobody who may not read those.
//
// One mode for the whole process, which each file that is read narrows: no writer can forget one of
// its sources. Any thread.
#pragma once

#include <sys/types.h>

namespace gprofx {

void NoteSourceMode(mode_t mode);  // of a file that was opened to be read

// For a new file: what the umask and all files that were read so far allow. Never executable.
mode_t DerivedMode();

}  // namespace gprofx
