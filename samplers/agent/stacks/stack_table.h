// Signal path. Stacks as nodes: the same (parent, frame) has one id in a process, whoever samples
// it; or two where threads met it at once, which say the same.
//
// Lock-free: what is new of a stack is a chain of consecutive nodes, which is written and then
// published by one compare-and-swap of its first into an open-addressing hash; the others are found
// next to their parents. A lost race wastes the chain. The handler runs on cold caches, where each
// page it touches costs more than the arithmetic: the hash is a row of tables of doubling size, so
// that a program with few stacks stays within a few pages. The table in use follows from the number
// of nodes; an entry of a smaller table is copied up when it is next found. A sample repeats most
// of the stack before it, so the thread's previous path is compared first and only the rest looked
// up; and of that, eight frames at a time are looked up in what the thread remembers, by a hash of
// all frames up to there. The hashes of a stack need no look-up of nodes, so the lines that it will
// ask for are fetched side by side.
#pragma once

#include <cstdint>

#include "samplers/agent/process/session.h"

namespace gprofx::agent {

constexpr uint32_t kMaxPath = 4096;  // frames of a merged stack

constexpr uint32_t kStride = 8;  // frames that are looked up at once
constexpr uint32_t kStrides = 4096;

struct StackPath {  // what a thread remembers: of its latest stack, root first
  // What a new thread touches comes first, in one page.
  uint32_t count = 0;
  uint32_t epoch = 0;
  uint32_t last_layer = 0;
  uint32_t trusted_layers = 0;  // to be taken by their inner modules before the next look
  uint32_t random = 0;          // of distances between looks
  uint64_t frames[kMaxPath];
  uint32_t nodes[kMaxPath];                 // 0 = not known: inside of a stride
  uint64_t hashes[kMaxPath / kStride + 1];  // of the frames before each multiple of kStride
  // Of earlier ones: the node behind a multiple of kStride frames, by the hash of these.
  struct Stride {
    uint64_t hash;
    uint32_t node;  // 0 = empty
    uint32_t epoch;
  };
  Stride strides[kStrides];
  // The node of a stack and the modules that it calls, see python/layers.h. A step asks for each
  // once, so that it is in no cache any more: what came next the last time is fetched ahead. Sets
  // of a cache line: of a thousand in one place each, a fifth would push each other out in every
  // step.
  struct Layered {
    uint32_t tag;    // of the hash of both, and of the epoch
    uint32_t inner;  // of that of the stack and the innermost modules
    uint32_t node;   // 0 = empty
    uint32_t next;
  };
  static constexpr uint32_t kLayerWays = 4, kLayered = 2 * kStrides;
  alignas(64) Layered layers[kLayered];

  // For a new thread, or new memory after a fork.
  void Forget() {
    count = 0;
    ++epoch;
  }
};

// The next stack of a thread, root first, written over the one before: what is equal stays as it
// is.
class NextStack {
 public:
  explicit NextStack(StackPath& path) : path_(path) {}
  // kMaxPath at most, which no walk exceeds.
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
  uint32_t same() const { return same_; }  // frames, from the root on, of the stack before

 private:
  StackPath& path_;
  uint32_t count_ = 0, same_ = 0;
};

// The node of (parent, frame); 0 when the table is full.
uint32_t ChildNode(Session& session, uint32_t parent, uint64_t frame);

// The node of a stack that was written to `path`. When the table is full: the deepest node that
// exists, and *full = true.
uint32_t StackNode(Session& session, StackPath& path, const NextStack& stack, bool* full);

}  // namespace gprofx::agent
