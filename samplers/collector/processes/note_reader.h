// Reads what processes of one user said about each other (wire::ProcessNote), each note once and
// oldest first. A target may write anything there. One thread.
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
  size_t user = 0;  // whose memory it comes from, as the session counts them
};

class NoteReader {
 public:
  static constexpr int kMaxWaits = 20;  // reads that wait for an unfinished note

  // Appends the notes up to number `end`; returns how many were overwritten unread.
  uint64_t Read(size_t user, const wire::ControlPage& control, uint64_t end,
                std::vector<ProcessNoteCopy>& notes);

 private:
  uint64_t read_ = 0;
  int waits_ = 0;  // for the note after it
};

}  // namespace gprofx
