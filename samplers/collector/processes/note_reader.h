// Reads what the processes of one user reported about each other (wire::ProcessNote). Each note is
// read once, the oldest first. A target may write anything there. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/ids.h"
#include "samplers/wire/layout.h"

namespace gprofx {

struct ProcessNoteCopy {
  wire::ProcessNoteKind kind;
  int64_t pid, from, cpu_ns;
  HostNs time;
  size_t user = 0;  // the session's index of the user whose memory contains the note
};

class NoteReader {
 public:
  static constexpr int kMaxWaits = 20;  // max calls of Read that wait for one unfinished note

  // Appends the notes with numbers below `end`. Returns how many were overwritten before they could
  // be read.
  uint64_t Read(size_t user, const wire::ControlPage& control, uint64_t end,
                std::vector<ProcessNoteCopy>& notes);

 private:
  uint64_t read_ = 0;
  int waits_ = 0;  // calls of Read that ended at the next note because it was unfinished
};

}  // namespace gprofx
