// Runs in signal handlers. Finds the PyTorch module instance that a stack works for, not only its
// class. Such an instance is called a layer.
//
// The functions of torch.nn.Module that call forward() have the module as their first local
// variable. A stack with frames of these functions gets one more frame at its leaf. That frame
// names the innermost module and, through its record, the modules around it. It is at the leaf for
// two reasons. Calls that one line makes in a loop share the rest of the stack. And the stack of a
// CUDA call can be cached for all modules (call_memo.h), with only its last frame looked up.
//
// A record is created for each pair of a module and the module that it is called in. Its name is
// the key of the module in _modules of the module around it, through up to kMaxSteps containers
// that are not called themselves ("layers.3"). For a module that is not found there, only the class
// is recorded. A module that is called outside any other module (in a backward pass that
// recomputes) uses the earlier record for its address, if there is one. A module is identified by
// its address and class. If it is freed, a later module of the same class at the same address and
// in the same place is taken for it.
//
// All loads are safe loads, all data read is checked for plausibility, and all loops are bounded.
// Records are in the wire arena. Not in free-threaded builds. Async-signal-safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "samplers/agent/process/threads.h"
#include "samplers/agent/python/layout.h"

namespace gprofx::agent {

class LayerIds {
 public:
  void Start();  // discards all ids; called at load and in a fork child
  struct Parent {
    uint32_t id = 0;      // id of the parent's record; 0 = none
    uint64_t module = 0;  // address of the parent's module object
  };
  // Returns the id of the record of `module` as called in `parent`. Makes the record if there is
  // none. If that fails, returns the parent's id, which is 0 if there is no parent.
  uint32_t Id(const Parent& parent, uint64_t module, uint64_t type, const PyLayout& layout);

 private:
  static constexpr uint32_t kSlots = 1u << 13, kProbes = 8;
  struct Slot {
    std::atomic<uint64_t> key;  // key ^ id: a half-written pair does not match
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

// Returns the child of `node` that stands for the modules which `layers` calls. Returns `node`
// itself if they cannot be read.
uint32_t LayerNode(StackPath& path, uint32_t node, const LayerCalls& layers);

}  // namespace gprofx::agent
