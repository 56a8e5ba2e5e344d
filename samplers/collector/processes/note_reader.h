// Reads what processes of one user reported about each other (wire::ProcessNote), each note once
// and oldest first. A target may write anything there. One thread.
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
  static constexpr int kMaxWaits = 20;  // maximum reads that wait for one unfinished note

  // Appends the notes up to number `end` and returns how many were overwritten unread.
  uint64_t Read(size_t user, const wire::ControlPage& control, uint64_t end,
                std::vector<ProcessNoteCopy>& notes);

 private:
  uint64_t read_ = 0;
  int waits_ = 0;  // reads that ended at the next note, as it was unfinished
};

}  // namespace gprofx
