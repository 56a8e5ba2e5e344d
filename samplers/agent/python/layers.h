// Signal path. Which module of PyTorch a stack works for: the instance, not its class alone.
//
// The functions of torch.nn.Module that call forward() have the module as their first local
// variable. A stack that has frames of these gets one more frame at its leaf, which names the
// innermost of the modules, and by its record those around it. At the leaf, so that what one line
// calls in a loop still is one stack up to there; and so that a stack of a CUDA call is remembered
// whatever module it is for (call_memo.h), and only its last frame looked for.
//
// A record is made for each module as it is called in another one. Its name is what the module
// around it calls it in _modules, through up to kMaxSteps containers that nobody calls
// ("layers.3"). A module that is nowhere in there has its class only. One that is called by no
// other module, as in a backward pass that computes again, is the one that was met under its
// address before, if there is any. Modules are told apart by address and class: another one of the
// same class that is later made at the same address, at the same place, is taken for the one
// before.
//
// Every load is a safe one, what is read must look like a module, loops are bounded. Records are
// kept in the arena on the wire. Not in free-threaded builds. Async-signal-safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "samplers/agent/process/threads.h"
#include "samplers/agent/python/layout.h"

namespace gprofx::agent {

class LayerIds {
 public:
  void Start();  // at load and in a fork child: forgets all ids (the region on the wire is new)
  struct Parent {
    uint32_t id = 0;      // its record; 0 = there is none
    uint64_t module = 0;  // the instance
  };
  // The record of a module that is called in `parent`. 0, or the parent's: none can be had.
  uint32_t Id(const Parent& parent, uint64_t module, uint64_t type, const PyLayout& layout);

 private:
  static constexpr uint32_t kSlots = 1u << 13, kProbes = 8;
  struct Slot {
    std::atomic<uint64_t> key;  // ^ id: a torn pair does not match
    std::atomic<uint64_t> id;
  };
  uint64_t KeyOf(uint32_t parent, uint64_t module, uint64_t type) const;
  uint32_t Find(uint64_t key) const;
  void Put(uint64_t key, uint32_t id);
  uint32_t Make(const Parent& parent, uint64_t module, uint64_t type, const PyLayout& layout);

  Slot* slots_ = nullptr;
  uint64_t epoch_ = 0;
  std::atomic<uint32_t> outermost_{0}, records_{0};
};

extern LayerIds g_layers;

// The node for the modules that `layers` call, below `node`; `node` itself where they cannot be
// read.
uint32_t LayerNode(StackPath& path, uint32_t node, const LayerCalls& layers);

}  // namespace gprofx::agent
