// Decides which chunks stay in the file of a recording that keeps only its last `keep` nanoseconds.
// A chunk stays if it ends at most `keep` before the latest end of a chunk. If these chunks exceed
// `most_bytes`, the oldest of them do not stay either. The size limit never removes the newest
// chunk. Used only inside formats/.
//
// Chunks are removed in order of arrival. A chunk that is too old therefore stays until the chunks
// that arrived before it are removed. Memory: 24 bytes per kept chunk. Pure; one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

class ChunkRing {
 public:
  ChunkRing(HostNs keep, size_t most_bytes) : keep_(keep), most_bytes_(most_bytes) {}

  void Add(int64_t id, HostNs end, size_t bytes) {
    kept_.push_back({id, end, bytes});
    bytes_ += bytes;
    Expect(end);
  }

  // Announces a chunk that ends at `end` and will be added. Old() then also returns the chunks that
  // are too old compared with it, and the caller can remove them before it writes the new chunk.
  void Expect(HostNs end) { latest_ = std::max(latest_, end); }

  // Returns the chunks to remove, oldest first.
  std::vector<int64_t> Old() const {
    std::vector<int64_t> old;
    size_t bytes = bytes_;
    for (const Kept& chunk : kept_) {
      const bool too_many = bytes > most_bytes_ && old.size() + 1 < kept_.size();
      if (!too_many && chunk.end >= latest_ - keep_) break;
      old.push_back(chunk.id);
      bytes -= chunk.bytes;
    }
    return old;
  }

  // Forgets the `count` oldest chunks. Call it after they were removed from the file.
  void Forget(size_t count) {
    for (; count > 0 && !kept_.empty(); --count) {
      complete_from_ = std::max(complete_from_, kept_.front().end + 1);
      bytes_ -= kept_.front().bytes;
      kept_.pop_front();
    }
  }

  // Returns the time from which on the rows are complete: no row at or after it was removed.
  HostNs complete_from() const { return complete_from_; }
  size_t bytes() const { return bytes_; }

 private:
  struct Kept {
    int64_t id;
    HostNs end;
    size_t bytes;
  };
  const HostNs keep_;
  const size_t most_bytes_;
  std::deque<Kept> kept_;
  size_t bytes_ = 0;
  HostNs latest_ = 0, complete_from_ = 0;
};

}  // namespace gprofx
