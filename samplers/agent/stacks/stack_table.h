// Runs in signal handlers. Stores stacks as a tree of nodes. A node is a frame and its parent node.
// The same pair has one node id in a process, whichever thread samples it. If two threads add it at
// the same moment, it has two equivalent ids.
//
// Lock-free. The new frames of a stack form a chain of consecutive nodes. The chain is written
// first and then published: one compare-and-swap puts its first node into an open-addressing hash.
// The other nodes are found next to their parents. If another thread is faster, the chain is
// wasted.
//
// The handler runs on cold caches, where each page it touches costs more than the arithmetic. The
// hash is therefore a series of tables of doubling size, and a program with few stacks uses only a
// few pages. The number of nodes determines the table in use. An entry of a smaller table is copied
// to it when it is next found.
//
// A sample repeats most of the previous stack. The frames are first compared with the thread's
// previous stack, and only the rest is looked up. That happens eight frames (a stride) at a time in
// a per-thread cache, by a hash of all frames from the root to the end of the stride. These hashes
// do not depend on nodes, so all cache lines that the lookups need can be prefetched in parallel.
#pragma once

#include <cstdint>

#include "samplers/agent/process/session.h"

namespace gprofx::agent {

constexpr uint32_t kMaxPath = 4096;  // frames of a merged stack

constexpr uint32_t kStride = 8;  // frames that are looked up at once
constexpr uint32_t kStrides = 4096;

struct StackPath {  // per-thread cache: the latest stack, root first
  // The fields that a new thread touches come first, in one page.
  uint32_t count = 0;
  uint32_t epoch = 0;
  uint32_t last_layer = 0;
  // Matches by the inner modules alone that are left before the next check.
  uint32_t trusted_layers = 0;
  uint32_t random = 0;  // state of the generator of distances between checks
  uint64_t frames[kMaxPath];
  // Node of each frame; 0 = unknown, because it is inside a stride that was found as a whole.
  uint32_t nodes[kMaxPath];
  uint64_t hashes[kMaxPath / kStride + 1];  // hashes of the frames before each multiple of kStride
  // Cache of strides of earlier stacks. `hash` covers all frames up to the end of the stride, and
  // `node` is the node there.
  struct Stride {
    uint64_t hash;
    uint32_t node;  // 0 = empty
    uint32_t epoch;
  };
  Stride strides[kStrides];
  // Cache from a stack and its PyTorch module calls to a node (python/layers.h).
  //
  // A training step uses each entry once, so the entry has left the processor's caches by the next
  // step. Therefore the entry that followed last time is prefetched. A set of entries fills one
  // cache line. (In a direct-mapped table, a fifth of a thousand entries would evict each other in
  // every step.)
  struct Layered {
    uint32_t tag;    // hash of the stack, all its modules and the epoch
    uint32_t inner;  // hash of the stack and the innermost modules
    uint32_t node;   // 0 = empty
    uint32_t next;   // index of the entry that followed this one last time
  };
  static constexpr uint32_t kLayerWays = 4, kLayered = 2 * kStrides;
  alignas(64) Layered layers[kLayered];

  // Invalidates the cache. Called for a new thread, and for new memory after a fork.
  void Forget() {
    count = 0;
    ++epoch;
  }
};

// Writes the next stack of a thread over the previous one in `path`, root first. Leading frames
// that are equal are left untouched.
class NextStack {
 public:
  explicit NextStack(StackPath& path) : path_(path) {}
  // Appends a frame. Frames beyond kMaxPath, which no walk reaches, are ignored.
  void Put(uint64_t frame) {
    if (count_ == kMaxPath) return;
    if (same_ == count_ && count_ < path_.count && path_.frames[count_] == frame) {
      ++same_;
    } else {
      path_.frames[count_] = frame;
    }
    ++count_;
  }
  uint32_t count() const { return count_; }
  uint32_t same() const {
    return same_;
  }  // number of leading frames, from the root, that equal the previous stack's

 private:
  StackPath& path_;
  uint32_t count_ = 0, same_ = 0;
};

// Returns the node for `frame` as a child of `parent`. Adds it if it is new. Returns 0 if the node
// table is full.
uint32_t ChildNode(Session& session, uint32_t parent, uint64_t frame);

// Returns the node of the stack that was written to `path`. If the node table is full, sets *full
// and returns the deepest node of the stack that exists.
uint32_t StackNode(Session& session, StackPath& path, const NextStack& stack, bool* full);

}  // namespace gprofx::agent
