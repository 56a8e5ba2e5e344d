// Permissions of files made from profiles and traces: only those who may read the sources may read
// the result.
//
// The process has one mode, which every file that is read narrows, so that no writer can forget a
// source. Any thread.
#pragma once

#include <sys/types.h>

namespace gprofx {

void NoteSourceMode(mode_t mode);  // mode of a file opened for reading

// Mode for a new file: what the umask and all files read so far allow. Never executable.
mode_t DerivedMode();

}  // namespace gprofx
