#include "samplers/collector/processes/note_reader.h"

#include <algorithm>

namespace gprofx {

uint64_t NoteReader::Read(size_t user, const wire::ControlPage& control, uint64_t end,
                          std::vector<ProcessNoteCopy>& notes) {
  uint64_t missed = 0;
  if (end - read_ > wire::kProcessNotes) {  // notes were overwritten, or the number is invalid
    missed = std::min<uint64_t>(end - read_ - wire::kProcessNotes, 1u << 20);
    read_ = end - wire::kProcessNotes;
  }
  for (; read_ != end; ++read_) {
    const wire::ProcessNote& note = control.note[read_ % wire::kProcessNotes];
    const uint64_t sequence = note.sequence.load(std::memory_order_acquire);
    // The note is still being written. Wait for it in later calls, but skip it after kMaxWaits,
    // because its writer may have been killed.
    if (sequence < read_ + 1 && ++waits_ < kMaxWaits) break;
    waits_ = 0;
    if (sequence != read_ + 1) {
      ++missed;
      continue;
    }
    const ProcessNoteCopy copy{note.kind, note.pid, note.from, note.cpu_ns, note.time_ns, user};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (note.sequence.load(std::memory_order_relaxed) == read_ + 1) {
      notes.push_back(copy);
    } else {
      ++missed;
    }
  }
  return missed;
}

}  // namespace gprofx
