// Runs in signal handlers. Merges Python frames into the native stack. The result is in order from
// the root; each group of Python frames comes right after the eval loop frame that runs it.
//
// From CPython 3.11 on, groups have an anchor on the C stack (frames.h). Frame i occupies [sp_i,
// sp_i+1), and the anchor is in exactly one of these ranges. That needs no symbols, so stripped,
// split and cloned interpreters work. For 3.8 to 3.10, eval loop frames are counted from the root,
// where a call in progress cannot disturb the pairing. Keeps all frames in their order; the views
// hide those of the interpreter itself. Pure.
#pragma once

#include <cstdint>

#include "samplers/agent/python/frames.h"
#include "samplers/agent/unwind/walk.h"

namespace gprofx::agent {

static_assert(static_cast<uint32_t>(EndReason::kDepth) == wire::kTruncatedByDepth);

struct MergeResult {
  // Numbers of groups of Python frames, by how they were placed.
  uint32_t by_address = 0, by_count = 0, failed = 0;
};

// Merges the stacks and passes the frames to `put` in wire format, root first. `owner` is scratch
// memory with py_count entries. It receives the index of the native frame that runs each Python
// frame. `encode` converts a NativeFrame to its wire format. `is_eval` is true for a frame of the
// eval loop; it is used only if groups have no anchors.
template <class Encode, class IsEval, class Put>
MergeResult MergeStacks(const WalkResult& walk, const PyFrame* python, uint32_t py_count,
                        uint32_t* owner, const Encode& encode, const IsEval& is_eval,
                        const Put& put) {
  MergeResult result;
  const NativeFrame* native = walk.frames;
  const uint32_t n = walk.count;
  const bool complete = walk.end == EndReason::kComplete;
  const uint32_t outside = n;  // owner of groups that are further out than the native walk reached
  bool any_anchor = false;
  for (uint32_t p = 0; p < py_count; ++p) any_anchor |= python[p].anchor != 0;

  if (any_anchor) {
    uint32_t i = 0;
    for (uint32_t p = 0; p < py_count; ++p) {
      uint64_t anchor = python[p].anchor;
      bool new_group = p == 0 || anchor != python[p - 1].anchor;
      if (!new_group) {
        owner[p] = owner[p - 1];
        continue;
      }
      uint32_t at = i;
      auto end_of = [&](uint32_t k) { return k + 1 < n ? native[k + 1].sp : walk.last_cfa; };
      while (at < n && anchor >= end_of(at)) ++at;
      if (at < n && anchor >= native[at].sp) {
        owner[p] = i = at;
        ++result.by_address;
      } else {
        owner[p] = anchor != 0 && at >= n ? outside : i;
        ++result.failed;
      }
    }
  } else if (py_count != 0) {
    // Pair groups with eval loop frames, from the root if the native walk reached it, else from the
    // leaf.
    if (complete) {
      uint32_t p = py_count;
      uint32_t last = 0;
      bool seen = false;
      for (uint32_t k = n; k-- > 0 && p > 0;) {
        if (!is_eval(native[k])) continue;
        owner[--p] = last = k;
        seen = true;
        ++result.by_count;
      }
      for (; p > 0; ++result.failed) owner[--p] = seen ? last : 0;
    } else {
      uint32_t p = 0;
      for (uint32_t k = 0; k < n && p < py_count; ++k) {
        if (!is_eval(native[k])) continue;
        owner[p++] = k;
        ++result.by_count;
      }
      for (; p < py_count; ++result.failed) owner[p++] = outside;
    }
  }

  if (!complete) {
    const uint16_t module = n != 0 ? native[n - 1].module : kNoModuleIndex;
    put(wire::MakeTruncated(static_cast<uint32_t>(walk.end),
                            module == kNoModuleIndex ? wire::kNoWireModule : module));
  }
  uint32_t p = py_count;
  while (p > 0 && owner[p - 1] == outside) put(python[--p].frame);
  for (uint32_t k = n; k-- > 0;) {
    put(encode(native[k]));
    while (p > 0 && owner[p - 1] >= k) put(python[--p].frame);
  }
  while (p > 0) put(python[--p].frame);
  return result;
}

}  // namespace gprofx::agent
