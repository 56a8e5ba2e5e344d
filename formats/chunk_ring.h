// Which chunks of a recording stay in its file, where only the last of it is wanted: those that reach
// into the time that is kept, the latest first where even they are too many. Used inside formats/ only.
//
// Chunks go in the order in which they came, so one with an old end waits behind a younger one
// before it. Memory: 24 bytes for each chunk that is kept. Pure; one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/ids.h"

namespace gprofx {

class ChunkRing {
 public:
  ChunkRing(HostNs keep, size_t most_bytes) : keep_(keep), most_bytes_(most_bytes) {}

  void Add(int64_t id, HostNs end, size_t bytes) {
    kept_.push_back({id, end, bytes});
    bytes_ += bytes;
    latest_ = std::max(latest_, end);
  }

  // Calls `remove` with each chunk that goes; false from it ends this, and the chunk stays.
  template <class Remove>
  bool Drop(const Remove& remove) {
    while (!kept_.empty()) {
      const Kept& oldest = kept_.front();
      const bool too_many = bytes_ > most_bytes_ && kept_.size() > 1;
      if (!too_many && oldest.end >= latest_ - keep_) return true;
      if (!remove(oldest.id)) return false;
      complete_from_ = std::max(complete_from_, oldest.end + 1);
      bytes_ -= oldest.bytes;
      kept_.pop_front();
    }
    return true;
  }

  HostNs complete_from() const { return complete_from_; }  // nothing is missing from here on
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
